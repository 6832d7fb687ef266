import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { load } from "../../command/load.ts"
import { Configuration } from "../../../config/Configuration.ts"
import { modeText } from "../../terminal/modeText.ts"
import { command } from "./Command.ts"

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
      : Effect.flatMap(prompt.session, (session) => session.switchTo(name))
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
  run: (_, prompt) =>
    prompt.current() === undefined ? prompt.say("nothing to summarize yet") : prompt.task((session) => session.compact)
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
  summary: "pick an earlier session of this project and go on in it",
  run: (_, prompt) =>
    Effect.gen(function* () {
      const picked = yield* load(
        () => import("../pickSession.ts"),
        ({ pickSession }) => pickSession
      )
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
