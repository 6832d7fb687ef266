import * as Effect from "effect/Effect"
import { SessionStore } from "../../../runtime/SessionStore.ts"
import { many } from "../../../ui/Words.ts"
import { command } from "./Command.ts"

/** Messages that are counted. */
const counted = 1000

export const context = command({
  name: "context",
  group: "session",
  summary: "show what the model sees of the conversation, by role",
  duringTask: true,
  run: (_, prompt) =>
    Effect.gen(function* () {
      const session = prompt.current()
      if (session === undefined) return yield* prompt.say("nothing in the context yet")
      const messages = yield* (yield* SessionStore).messages(session.session, counted)
      const roles = [...new Set(messages.map(({ message }) => message.role))]
      const rows = roles.map((role) => {
        const own = messages.flatMap(({ message }) => (message.role === role ? [JSON.stringify(message).length] : []))
        const characters = own.reduce((sum, length) => sum + length, 0)
        return `${role.padEnd(9)}  ${many(own.length, "message")}, ${many(characters, "character")}`
      })
      const more = messages.length === counted ? [`counted: the last ${counted} messages`] : []
      yield* prompt.say([...rows, ...more].join("\n") || "nothing in the context yet")
    })
})

/** What the model is asked to write down about a project. */
const wanted = `Look at this project and write AGENTS.md in its top directory: what a coding agent that works here must know.
Cover the purpose in a sentence, how to build, test and check (exact commands, that of a single test too), how the code is laid out, and conventions that the code shows but a reader would not guess.
Leave out what any tool finds in a minute. At most 60 lines. If AGENTS.md exists, keep what is right in it and correct the rest.`

export const init = command({
  name: "init",
  group: "work",
  summary: "let the model write AGENTS.md, the instructions of this project",
  run: (_, prompt) => prompt.submit(wanted)
})
