import * as Command from "@effect/cli/Command"
import { group } from "./group.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

const module = () => import("../TrustCommand.ts")

const revoke = Command.make("revoke", { json: options.json }, (given) =>
  load(module, ({ revoke }) => revoke(given))
).pipe(Command.withDescription("Revoke trust in this project"))

const list = Command.make("list", options.listing, (given) => load(module, ({ list }) => list(given))).pipe(
  Command.withDescription("List the trusted projects")
)

/** `tollgate trust` */
export const trust = group(
  Command.make("trust", { yes: options.yes, json: options.json }, (given) =>
    load(module, ({ trust }) => trust(given))
  ).pipe(Command.withDescription("Show the hooks, rules, commands and MCP servers of this project, and trust them")),
  [revoke, list]
)
