import * as Effect from "effect/Effect"
import { modelView } from "../../../conversation/ModelView.ts"
import { SessionStore } from "../../../runtime/SessionStore.ts"
import { initPrompt } from "../../../ui/initPrompt.ts"
import { many } from "../../../ui/Words.ts"
import { command } from "./Command.ts"

/** Messages that are counted. */
const counted = 1000

const stored = (session: string) => Effect.flatMap(SessionStore, (store) => store.messages(session, counted))

/** The last messages of the model's context: none of the calls that are the runtime's own, nor their results. */
export const contextOf = (session: string) => Effect.map(stored(session), modelView)

export const context = command({
  name: "context",
  group: "session",
  summary: "show what the model sees of the conversation, by role",
  duringTask: true,
  run: (_, prompt) =>
    Effect.gen(function* () {
      const session = prompt.current()
      if (session === undefined) return yield* prompt.say("nothing in the context yet")
      const all = yield* stored(session.session)
      const messages = modelView(all)
      const roles = [...new Set(messages.map(({ message }) => message.role))]
      const rows = roles.map((role) => {
        const own = messages.flatMap(({ message }) => (message.role === role ? [JSON.stringify(message).length] : []))
        const characters = own.reduce((sum, length) => sum + length, 0)
        return `${role.padEnd(9)}  ${many(own.length, "message")}, ${many(characters, "character")}`
      })
      const more = all.length === counted ? [`counted: the last ${counted} messages`] : []
      yield* prompt.say([...rows, ...more].join("\n") || "nothing in the context yet")
    })
})

export const init = command({
  name: "init",
  group: "work",
  summary: "let the model write AGENTS.md, the instructions of this project",
  run: (_, prompt) => prompt.submit(initPrompt)
})
