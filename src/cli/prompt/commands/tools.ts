import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { AnyTool } from "../../../tool/ToolCall.ts"
import { fieldsOf } from "../../../tool/ToolField.ts"
import { toolShown } from "../../../tool/ToolShown.ts"
import { Ui } from "../../../ui/Ui.ts"
import { manual } from "../../manualTools.ts"
import { fill } from "../../toolForm.ts"
import { givenParameters, parametersOf, spokenIn, toolOf } from "../../toolCall.ts"
import { splitWords } from "../../../text/splitWords.ts"
import { type Carried, command, type Prompt } from "./Command.ts"

/** The tool of that name that a person may run. */
export const manualTool = (name: string): AnyTool | undefined => manual.find((tool) => tool.name === name)

/** Runs a tool with what stands behind its name: `--name value`, a JSON object, or `-i` to be asked field by field. */
export const runTool = (name: string, argument: string, prompt: Prompt): Carried<unknown> =>
  Effect.gen(function* () {
    const tool = yield* toolOf(name, manual)
    const words = splitWords(argument)
    if (Either.isLeft(words)) return yield* prompt.say(words.left, "error")
    const interactive = words.right.some((word) => word === "-i" || word === "--interactive")
    const { json, param, unknown } = spokenIn(words.right.filter((word) => word !== "-i" && word !== "--interactive"))
    if (unknown !== undefined) return yield* prompt.say(`${name}: ${unknown}; write --name value`, "error")
    const spoken = { param, parameters: Option.fromNullable(json) }
    const parameters = interactive
      ? yield* fill(tool, yield* givenParameters(tool, spoken))
      : (yield* parametersOf(tool, spoken)).parameters
    yield* prompt.task((session) => session.invoke(name, parameters))
  })

export const tools = command({
  name: "tools",
  aliases: ["ts"],
  group: "tools",
  summary: "list the tools that you can run",
  duringTask: true,
  run: () => Effect.flatMap(Ui, (ui) => ui.showTools(manual.map(toolShown)))
})

export const tool = command({
  name: "tool",
  aliases: ["t"],
  group: "tools",
  summary: "run a tool yourself; its result enters the conversation",
  arguments: "NAME [--name value …|-i]",
  details: "-i asks for each field. /NAME does the same as /tool NAME where no command has that name.",
  complete: (typed) => {
    const [name = ""] = typed
    const known = manualTool(name)
    return Effect.succeed(
      typed.length < 2 || known === undefined
        ? manual.map((one) => ({ word: one.name, summary: one.label }))
        : fieldsOf(known).map((field) => ({ word: `--${field.name}`, summary: field.description }))
    )
  },
  run: (argument, prompt) => {
    const [, name = "", rest = ""] = /^(\S*)\s*([^]*)$/u.exec(argument) ?? []
    return name === "" ? prompt.say("name a tool · /tools lists them", "error") : runTool(name, rest, prompt)
  }
})
