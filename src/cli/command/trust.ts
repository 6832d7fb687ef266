import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { load } from "./load.ts"

const module = () => import("../TrustCommand.ts")

const revoke = Command.make("revoke", {}, () => load(module, ({ revoke }) => revoke)).pipe(
  Command.withDescription("Takes back the trust in this project")
)

const list = Command.make(
  "list",
  { json: Options.boolean("json").pipe(Options.withDescription("prints one JSON object a line")) },
  (given) => load(module, ({ list }) => list(given))
).pipe(Command.withDescription("Lists the trusted projects"))

/** `tollgate trust` */
export const trust = {
  command: Command.make(
    "trust",
    { yes: Options.boolean("yes").pipe(Options.withDescription("does not ask; you have read the file")) },
    (given) => load(module, ({ trust }) => trust(given))
  ).pipe(
    Command.withDescription("Shows the hooks and rules that this project brings, and lets them count"),
    Command.withSubcommands([revoke, list])
  ),
  below: { revoke: { command: revoke }, list: { command: list } }
}
