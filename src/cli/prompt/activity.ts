import * as Effect from "effect/Effect"
import * as path from "node:path"
import { FileChanges } from "../../tool/FileChanges.ts"
import { Notifications } from "../../tool/Notifications.ts"
import { fraction, ProgressBoard, type Running } from "../../tool/ProgressBoard.ts"
import { many } from "../../ui/Words.ts"

/** Files named in one line. */
const shown = 5

const line = (running: Running): string => {
  const share = fraction(running)
  const far =
    running.kind === "steps"
      ? ` of ${running.total ?? "?"}`
      : share === undefined
        ? ""
        : ` ${Math.round(share * 100)} %`
  return `running: ${running.label}${far}`
}

/** Running work, changed files and recent notifications, one line each. */
export const activity = (
  directory: string
): Effect.Effect<ReadonlyArray<string>, never, ProgressBoard | FileChanges | Notifications> =>
  Effect.gen(function* () {
    const running = yield* (yield* ProgressBoard).active
    const changes = yield* (yield* FileChanges).recent()
    const notices = yield* (yield* Notifications).current
    const files = [...new Set(changes.map((change) => path.relative(directory, change.path)))].toReversed()
    const more = files.length > shown ? " …" : ""
    return [
      ...running.map(line),
      ...(files.length === 0
        ? []
        : [`changed: ${many(files.length, "file")}, ${files.slice(0, shown).join(", ")}${more}`]),
      ...notices.map(({ message, title }) => `${title}: ${message}`)
    ]
  })
