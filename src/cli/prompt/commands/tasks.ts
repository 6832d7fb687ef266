import * as Effect from "effect/Effect"
import { makeVisible } from "../../../text/visible.ts"
import { stateOf } from "../../../tools/shell/background.ts"
import { command } from "./Command.ts"

/** Lines of the output that are shown. */
const lastLines = 40

export const tasks = command({
  name: "tasks",
  group: "work",
  summary: "list the commands in the background, show the output of one, or stop it",
  arguments: "[ID|stop ID]",
  duringTask: true,
  complete: ([first = "", ...more], prompt) => {
    if (more.length > (first === "stop" ? 1 : 0)) return Effect.succeed([])
    return Effect.map(prompt.current()?.background.list ?? Effect.succeed([]), (all) => [
      ...all.map(({ command, id }) => ({ word: id, summary: makeVisible(command) })),
      ...(more.length === 0 ? [{ word: "stop", summary: "ID: stop one" }] : [])
    ])
  },
  run: (argument, prompt) =>
    Effect.gen(function* () {
      const background = prompt.current()?.background
      const [first = "", second] = argument.split(/\s+/u)
      if (first === "stop" && second === undefined) return yield* prompt.say("usage: /tasks stop ID", "error")
      if (background === undefined) return yield* prompt.say("no commands in the background")
      if (first === "stop" && second !== undefined) {
        const before = yield* background.find(second)
        if (before.end !== undefined) return yield* prompt.say(yield* stateOf(before))
        // The session tells of the end of what ran.
        return yield* Effect.asVoid(background.stop(second))
      }
      if (first !== "") {
        const state = yield* Effect.flatMap(background.find(first), stateOf)
        const { text } = yield* background.output(first)
        const lines = text.trimEnd().split("\n")
        const more = lines.length > lastLines ? [`… ${lines.length - lastLines} earlier lines`] : []
        const shown = text === "" ? ["[no output]"] : lines.slice(-lastLines).map((line) => makeVisible(line))
        return yield* prompt.say([state, ...more, ...shown].join("\n"))
      }
      const all = yield* background.list
      const rows = yield* Effect.forEach(all, (one) =>
        Effect.map(stateOf(one), (state) => `${state} · ${makeVisible(one.command.split("\n")[0] ?? "")}`)
      )
      yield* prompt.say(rows.length === 0 ? "no commands in the background" : rows.join("\n"))
    })
})
