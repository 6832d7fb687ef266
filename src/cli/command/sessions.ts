import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { argument } from "../Guard.ts"
import { load } from "./load.ts"

/** Sessions that are listed unless more are asked for. */
const limit = 20

const list = Command.make(
  "list",
  {
    all: Options.boolean("all").pipe(Options.withAlias("a"), Options.withDescription("those of other directories too")),
    limit: Options.integer("limit").pipe(Options.withDescription("how many"), Options.withDefault(limit)),
    json: Options.boolean("json").pipe(Options.withDescription("prints one JSON object a line"))
  },
  (given) =>
    load(
      () => import("../Sessions.ts"),
      (module) => module.list(given)
    )
).pipe(Command.withDescription("Lists sessions, the latest first"))

const show = Command.make("show", { id: argument("id", "the session, or a unique beginning of its id") }, ({ id }) =>
  load(
    () => import("../Sessions.ts"),
    (module) => module.show(id)
  )
).pipe(Command.withDescription("Shows a session as it looked when it happened"))

/** `tollgate sessions` */
export const sessions = {
  command: Command.make("sessions", {}, () =>
    load(
      () => import("../Sessions.ts"),
      (module) => module.list({ all: false, limit, json: false })
    )
  ).pipe(
    Command.withDescription("Lists what has been said and done before, and shows it"),
    Command.withSubcommands([list, show])
  ),
  below: { list: { command: list }, show: { command: show } }
}
