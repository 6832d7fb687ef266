import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { locate } from "../../../host/locate.ts"
import { Memory } from "../../../memory/Memory.ts"
import { makeVisible } from "../../../text/visible.ts"
import * as MemoryCommand from "../../MemoryCommand.ts"
import { command } from "./Command.ts"

/** Entries that one list shows. */
const limit = 20

export const memory = command({
  name: "memory",
  group: "work",
  summary: "list, search or forget what this project remembers",
  arguments: "[WORDS | forget ID]",
  details: "Without words, the latest. tollgate memory shows, exports and forgets outside of the prompt as well.",
  duringTask: true,
  run: (argument, prompt) =>
    Effect.gen(function* () {
      const { project } = yield* locate(prompt.directory)
      const id = /^forget\s+(\d{1,15})$/.exec(argument)?.[1]
      if (id !== undefined) {
        const { text } = yield* MemoryCommand.forgotten(Number(id), project)
        return yield* prompt.say(`forgotten: ${makeVisible(text)}`)
      }
      const memory = yield* Memory
      const query = argument.trim()
      const found = yield* query === "" ? memory.list({ project, limit }) : memory.retrieve({ project, query, limit })
      const none =
        query === "" ? "this project remembers nothing yet" : "nothing that is remembered has any of these words"
      const rows = MemoryCommand.rows(found, yield* Clock.currentTimeMillis)
      yield* prompt.say(rows.length === 0 ? none : rows.join("\n"))
    })
})
