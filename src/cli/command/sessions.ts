import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { argument } from "../Guard.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

/** Sessions that are listed unless more are asked for. */
const limit = 20

const list = Command.make(
  "list",
  {
    all: Options.boolean("all").pipe(Options.withAlias("a"), Options.withDescription("include other directories")),
    limit: Options.integer("limit").pipe(
      Options.withDescription(`how many at most; default: ${limit}`),
      Options.withDefault(limit)
    ),
    json: options.json,
    jsonl: options.jsonl
  },
  (given) =>
    load(
      () => import("../Sessions.ts"),
      (module) => module.list(given)
    )
).pipe(Command.withDescription("List sessions, latest first"))

const show = Command.make("show", { id: argument("id", "the session id, or a unique prefix of it") }, ({ id }) =>
  load(
    () => import("../Sessions.ts"),
    (module) => module.show(id)
  )
).pipe(Command.withDescription("Show a session as it looked live"))

/** `tollgate sessions` */
export const sessions = {
  command: Command.make("sessions", {}, () =>
    load(
      () => import("../Sessions.ts"),
      (module) => module.list({ all: false, limit, json: false, jsonl: false })
    )
  ).pipe(Command.withDescription("List and show earlier sessions"), Command.withSubcommands([list, show])),
  below: { list: { command: list }, show: { command: show } }
}
