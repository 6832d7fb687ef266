import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { group } from "./group.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

const module = () => import("../TrustCommand.ts")

const revoke = Command.make("revoke", {}, () => load(module, ({ revoke }) => revoke)).pipe(
  Command.withDescription("Revoke trust in this project")
)

const list = Command.make("list", { json: options.json, jsonl: options.jsonl }, (given) =>
  load(module, ({ list }) => list(given))
).pipe(Command.withDescription("List the trusted projects"))

/** `tollgate trust` */
export const trust = group(
  Command.make(
    "trust",
    { yes: Options.boolean("yes").pipe(Options.withDescription("do not ask for confirmation")) },
    (given) => load(module, ({ trust }) => trust(given))
  ).pipe(Command.withDescription("Show the hooks, rules, commands and MCP servers of this project, and trust them")),
  [revoke, list]
)
