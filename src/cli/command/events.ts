import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { load } from "./load.ts"
import * as options from "./options.ts"

/** `tollgate events` */
export const events = Command.make(
  "events",
  {
    session: options.idOrLast,
    from: options
      .whole("from", {})
      .pipe(Options.withDescription("start at this event number; default: 1"), Options.withDefault(1)),
    follow: Options.boolean("follow").pipe(Options.withAlias("f"), Options.withDescription("keep printing new events")),
    json: options.json,
    jsonl: Options.boolean("jsonl").pipe(Options.withDescription("print JSON lines, which replay reads"))
  },
  (given) =>
    load(
      () => import("../Events.ts"),
      (module) => module.events(given)
    )
).pipe(Command.withDescription("Print the events of a session"))
