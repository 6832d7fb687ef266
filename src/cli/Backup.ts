import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import * as path from "node:path"
import { Configuration } from "../config/Configuration.ts"
import { Database } from "../database/Database.ts"
import * as SessionCheck from "../runtime/SessionCheck.ts"
import { many } from "../ui/Words.ts"
import { document } from "./jsonOutput.ts"
import { UsageError } from "./Outcome.ts"
import * as Records from "../host/Stores.ts"
import { Screen } from "./terminal/Screen.ts"
import { oneLine } from "../text/visible.ts"
import { isoTime } from "../text/isoTime.ts"

/** Copies the database as it is now into one file that can be put in its place; it is read through before it counts. */
export const backup = ({ file, json }: { readonly file: Option.Option<string>; readonly json: boolean }) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const database = yield* Database
    const now = isoTime(yield* Clock.currentTimeMillis)
    const target = path.resolve(Option.getOrElse(file, () => `${database.file}.${now.replaceAll(":", "")}.backup`))
    if (fs.existsSync(target)) {
      return yield* new UsageError({ reason: `${oneLine(target)} already exists; name another file.` })
    }
    if (!fs.existsSync(path.dirname(target))) {
      return yield* new UsageError({ reason: `Directory ${oneLine(path.dirname(target))} does not exist.` })
    }
    const { events, sessions } = yield* SessionCheck.check
    yield* database.copyTo(target)
    const bytes = fs.statSync(target).size
    if (json) return yield* document({ file: target, sessions, events, bytes })
    const size = `${Math.ceil(bytes / 1024)} KiB`
    yield* answer(
      `${style.green("✓")} ${oneLine(target)}: ${many(sessions, "session", "sessions")}, ${many(events, "event", "events")}, ${size}\n`
    )
  }).pipe(
    Effect.provide(Records.database),
    Effect.provide(Screen.layer({ split: false })),
    Effect.provide(Configuration.layer())
  )
