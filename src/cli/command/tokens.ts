import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { argument } from "../Guard.ts"
import { group } from "./group.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

const module = () => import("../TokensCommand.ts")

const add = Command.make(
  "add",
  {
    name: argument("name", "who uses it; shown in decisions and the audit"),
    scope: Options.choice("scope", ["view", "operate", "approve"]).pipe(
      Options.withDescription("what it may do: look, start and stop work, decide on calls; repeatable; default: view"),
      Options.repeated
    ),
    expires: Options.text("expires").pipe(
      Options.withDescription("how long it is valid, e.g. 12h, 30d or 4w; default: until revoked"),
      Options.optional
    )
  },
  (given) => load(module, ({ add }) => add(given))
).pipe(Command.withDescription("Add a server token and print it once"))

const list = Command.make("list", options.listing, (given) => load(module, ({ list }) => list(given))).pipe(
  Command.withDescription("List tokens with their scopes")
)

const revoke = Command.make(
  "revoke",
  { name: argument("name", "the name of the token"), json: options.json },
  (given) => load(module, ({ revoke }) => revoke(given))
).pipe(Command.withDescription("Revoke a token; running servers refuse it at once"))

/** `tollgate tokens` */
export const tokens = group(
  Command.make("tokens", {}, () => load(module, ({ list }) => list({ json: false, jsonl: false }))).pipe(
    Command.withDescription("Manage server tokens: who may view, operate and approve")
  ),
  [add, list, revoke]
)
