import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as path from "node:path"
import { load } from "../../command/load.ts"
import { command } from "./Command.ts"

const formats = ["markdown", "html", "json"] as const

export const exporting = command({
  name: "export",
  group: "session",
  summary: "write the conversation into a file",
  arguments: "[FORMAT] [FILE]",
  details: "FORMAT is markdown, html or json; an existing file stays as it is",
  duringTask: true,
  complete: (typed) => Effect.succeed(typed.length > 1 ? [] : formats.map((word) => ({ word }))),
  run: (argument, prompt) =>
    Effect.gen(function* () {
      const session = prompt.current()
      if (session === undefined) return yield* prompt.say("nothing to export yet")
      const [, word = "", rest = ""] = /^(\S*)\s*([^]*)$/.exec(argument) ?? []
      const named = formats.find((format) => format === word)
      const given = named === undefined ? argument : rest
      yield* load(
        () => import("../../Export.ts"),
        ({ extensionOf, formatBy, toFile }) =>
          Effect.gen(function* () {
            const format = named ?? Option.getOrElse(yield* formatBy(given), () => "markdown" as const)
            const file = path.resolve(prompt.directory, given || `${session.session}.${extensionOf(format)}`)
            yield* toFile(session.session, format, file)
            yield* prompt.say(`written: ${file}`)
          })
      )
    })
})
