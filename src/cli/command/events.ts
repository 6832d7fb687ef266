import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { argument } from "../Guard.ts"
import { load } from "./load.ts"

/** `tollgate events` */
export const events = Command.make(
  "events",
  {
    session: argument("session", "the session, or a unique beginning of its id"),
    from: Options.integer("from").pipe(
      Options.withDescription("the number of the first event"),
      Options.withDefault(1)
    ),
    follow: Options.boolean("follow").pipe(
      Options.withAlias("f"),
      Options.withDescription("waits for what is yet to come")
    ),
    jsonl: Options.boolean("jsonl").pipe(Options.withDescription("prints one JSON object a line, as replay reads it"))
  },
  (given) =>
    load(
      () => import("../Events.ts"),
      (module) => module.events(given)
    )
).pipe(Command.withDescription("Prints the events of a session"))
