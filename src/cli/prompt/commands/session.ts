import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { load } from "../../command/load.ts"
import { Configuration } from "../../../config/Configuration.ts"
import { ProfileNotFound } from "../../../model/Models.ts"
import { Keyboard } from "../../terminal/Keyboard.ts"
import { modeText } from "../../terminal/modeText.ts"
import { resolve } from "../../SessionId.ts"
import { command } from "./Command.ts"
import { contextOf } from "./conversation.ts"

export const model = command({
  name: "model",
  group: "session",
  summary: "list the profiles, or switch to one",
  arguments: "[NAME|list]",
  duringTask: true,
  complete: () => Effect.map(Configuration, ({ profiles }) => Object.keys(profiles).map((word) => ({ word }))),
  run: (name, prompt) =>
    name === "" || name === "list"
      ? Effect.flatMap(Configuration, ({ profiles }) =>
          prompt.say(`${prompt.profile()} · available: ${Object.keys(profiles).join(", ")}`)
        )
      : Effect.gen(function* () {
          const { profiles } = yield* Configuration
          // A name that is mistyped opens no session.
          if (!Object.hasOwn(profiles, name)) {
            return yield* new ProfileNotFound({ profile: name, known: Object.keys(profiles) })
          }
          yield* Effect.flatMap(prompt.session, (session) => session.switchTo(name))
        })
})

export const clear = command({
  name: "clear",
  group: "session",
  summary: "clear the model's context; the log keeps the conversation",
  duringTask: true,
  run: (_, prompt) => prompt.current()?.clear ?? prompt.say("nothing to clear yet")
})

export const compact = command({
  name: "compact",
  group: "session",
  summary: "replace the model's context with a summary",
  arguments: "[--edit] [INSTRUCTIONS]",
  details:
    "The model writes the summary, by your instructions if there are any; the log keeps the conversation. With --edit your editor opens it " +
    "before it counts: an empty file cancels. It happens by itself before the context is full.",
  complete: (typed) => Effect.succeed(typed.length < 2 ? [{ word: "--edit" }] : []),
  run: (argument, prompt) =>
    Effect.gen(function* () {
      const current = prompt.current()
      // The runtime says the same, but begins a task for it, by which the session would be listed.
      if (current === undefined || (yield* contextOf(current.session)).length === 0)
        return yield* prompt.say("nothing to summarise yet")
      const [, edit, said = ""] = /^(--edit(?=\s|$))?\s*([^]*)$/.exec(argument.trim()) ?? []
      const instructions = said === "" ? {} : { instructions: said }
      if (edit === undefined) return yield* prompt.task((session) => session.compact(instructions))
      let task = ""
      yield* prompt.task((session) =>
        Effect.tap(session.compact({ ...instructions, draft: true }), (made) => {
          task = made
        })
      )
      const draft = prompt.current()?.completed(task)
      if (draft === undefined) return
      const keyboard = yield* Keyboard
      const text = yield* load(
        () => import("../../terminal/editor/externalEditor.ts"),
        ({ edited }) => keyboard.lend(edited(draft, "summary.md"))
      )
      if (text.trim() === "") return yield* prompt.say("the summary was left empty: the model's context is as it was")
      yield* prompt.task((session) => session.compact({ summary: { text, draft: task } }))
    })
})

export const status = command({
  name: "status",
  group: "session",
  summary: "show session, profile, mode and activity",
  duringTask: true,
  run: (_, prompt) =>
    Effect.gen(function* () {
      const session = prompt.current()
      const place = [
        session?.session ?? "no session yet",
        prompt.profile(),
        modeText(prompt.mode()),
        prompt.sandbox(),
        session?.directory ?? prompt.directory
      ].join(" · ")
      yield* prompt.say([place, ...(session === undefined ? [] : yield* session.activity)].join("\n"))
    })
})

export const resume = command({
  name: "resume",
  group: "session",
  summary: "go on in an earlier session; without ID, pick one of this project",
  arguments: "[ID]",
  run: (id, prompt) =>
    Effect.gen(function* () {
      const picked =
        id === ""
          ? yield* load(
              () => import("../pickSession.ts"),
              ({ pickSession }) => pickSession
            )
          : Option.some(yield* resolve(id))
      if (Option.isNone(picked)) return
      if (picked.value === prompt.current()?.session) return yield* prompt.say("this session is open already")
      yield* prompt.resume(picked.value)
    })
})

export const exit = command({
  name: "exit",
  aliases: ["quit"],
  group: "session",
  summary: "quit (or ctrl-d)",
  run: (_, prompt) => prompt.quit
})
