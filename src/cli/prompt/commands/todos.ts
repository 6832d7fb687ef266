import * as Effect from "effect/Effect"
import { todoRows } from "../../../ui/todoRows.ts"
import { command } from "./Command.ts"

export const todos = command({
  name: "todos",
  group: "work",
  summary: "show the steps that the model has planned",
  duringTask: true,
  run: (_, prompt) =>
    Effect.gen(function* () {
      const items = yield* prompt.current()?.todos ?? Effect.succeed(undefined)
      yield* prompt.say(items === undefined ? "no steps yet" : todoRows(items).join("\n"))
    })
})
