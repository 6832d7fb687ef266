import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { locate } from "../../../host/locate.ts"
import { Memory } from "../../../memory/Memory.ts"
import { makeVisible, visibleLine } from "../../../text/visible.ts"
import * as MemoryCommand from "../../MemoryCommand.ts"
import { type Carried, command, type Prompt } from "./Command.ts"

/** Entries that one list shows. */
const limit = 20

/** Keeps a text for every later session of the project, and shows what was kept. */
export const remember = (text: string, prompt: Prompt): Carried =>
  Effect.gen(function* () {
    const memory = yield* Memory
    const { session } = yield* prompt.session
    const { added, entry } = yield* memory.record({
      sessionId: session,
      scope: "project",
      text,
      metadata: { origin: "prompt" }
    })
    const head = added ? "remembered for this project" : "already remembered for this project"
    const without = added && entry.text !== text.trim() ? " (what looked like a secret was left out)" : ""
    yield* prompt.say(`${head}${without}: ${makeVisible(entry.text)}\n/memory forget ${entry.id} forgets it`)
  })

/** What the project remembers, as words that follow `forget`. */
const forgettable = (project: string) =>
  Effect.map(
    Effect.flatMap(Memory, (memory) => memory.list({ project })),
    (all) => all.map(({ id, text }) => ({ word: `${id}`, summary: visibleLine(text) }))
  )

export const memory = command({
  name: "memory",
  group: "work",
  summary: "list, search or forget what this project remembers",
  arguments: "[WORDS | forget ID]",
  details: "Without words, the latest. tollgate memory shows, exports and forgets outside of the prompt as well.",
  duringTask: true,
  complete: ([first, ...more], prompt) =>
    more.length === 0
      ? Effect.succeed([{ word: "forget", summary: "ID: forget one" }])
      : first === "forget" && more.length === 1
        ? Effect.flatMap(locate(prompt.directory), ({ project }) => forgettable(project))
        : Effect.succeed([]),
  run: (argument, prompt) =>
    Effect.gen(function* () {
      const { project } = yield* locate(prompt.directory)
      const id = /^forget\s+(\d{1,15})$/.exec(argument)?.[1]
      if (id !== undefined) {
        const { text } = yield* MemoryCommand.forgotten(Number(id), project)
        return yield* prompt.say(`forgotten: ${makeVisible(text)}`)
      }
      if (/^forget(?:\s+\S+)?$/.test(argument.trim())) {
        return yield* prompt.say("usage: /memory forget ID, a number; /memory lists them", "error")
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
