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
    name: argument("name", "who uses it; decisions and the audit say so"),
    scope: Options.choice("scope", ["view", "operate", "approve"]).pipe(
      Options.withDescription("what it may do: see, give and stop work, decide on calls; repeatable; default: view"),
      Options.repeated
    ),
    expires: Options.text("expires").pipe(
      Options.withDescription("how long it counts, e.g. 12h, 30d or 4w; default: until it is revoked"),
      Options.optional
    )
  },
  (given) => load(module, ({ add }) => add(given))
).pipe(Command.withDescription("Make a token for the server, and print it once"))

const list = Command.make("list", options.listing, (given) => load(module, ({ list }) => list(given))).pipe(
  Command.withDescription("List tokens with their scopes")
)

const revoke = Command.make("revoke", { name: argument("name", "the name of the token") }, ({ name }) =>
  load(module, ({ revoke }) => revoke(name))
).pipe(Command.withDescription("Revoke a token, also for servers that run"))

/** `tollgate tokens` */
export const tokens = group(
  Command.make("tokens", {}, () => load(module, ({ list }) => list({ json: false, jsonl: false }))).pipe(
    Command.withDescription("Tokens of the server: who may see, work and decide")
  ),
  [add, list, revoke]
)
