import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Stopping } from "../../Stopping.ts"
import { Surroundings } from "../../../host/Surroundings.ts"
import { systemReason } from "../../../system/errno.ts"
import * as PrivateDirectory from "../../../system/PrivateDirectory.ts"

/** The text is as it was. */
export class EditorFailed extends Schema.TaggedError<EditorFailed>()("EditorFailed", {
  editor: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.editor} did not edit the text: ${this.reason}. $VISUAL or $EDITOR names the editor.`
  }
}

/**
 * The text as the user's editor leaves it, which has the terminal meanwhile; editors tell by the name of the file what it is. Where it
 * is interrupted, `unfinished` gets the text as it was saved last.
 */
export const edited = (
  text: string,
  name = "prompt.md",
  unfinished: (text: string) => Effect.Effect<void> = () => Effect.void
): Effect.Effect<string, EditorFailed, Surroundings> =>
  Effect.gen(function* () {
    const { directory, env } = yield* Surroundings
    const editor = env["VISUAL"] || env["EDITOR"] || "vi"
    const failed = (error: unknown) => new EditorFailed({ editor, reason: systemReason(error) })
    const place = yield* PrivateDirectory.filled((made) => {
      fs.writeFileSync(path.join(made, name), text, { mode: 0o600 })
    }, failed)
    const file = path.join(place, name)
    const saved = Effect.try({ try: () => fs.readFileSync(file, "utf8").replace(/\n$/, ""), catch: failed })
    const { claim } = yield* Stopping
    // Ctrl-C is the editor's affair while it has the terminal.
    yield* Effect.acquireRelease(
      Effect.sync(() => claim(() => {})),
      (release) => Effect.sync(release)
    )
    yield* Effect.async<void, EditorFailed>((resume) => {
      // The variable may hold options, which a shell knows to part.
      const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { cwd: directory, env, stdio: "inherit" })
      child.once("error", (error) => resume(failed(error)))
      child.once("exit", (code, signal) =>
        resume(
          code === 0
            ? Effect.void
            : new EditorFailed({ editor, reason: signal === null ? `exit code ${code}` : `ended by ${signal}` })
        )
      )
      return Effect.sync(() => void child.kill())
    }).pipe(
      Effect.onInterrupt(() =>
        Effect.ignore(
          Effect.flatMap(saved, (now) => (now.trim() === "" || now === text ? Effect.void : unfinished(now)))
        )
      )
    )
    return yield* saved
  }).pipe(Effect.scoped)
