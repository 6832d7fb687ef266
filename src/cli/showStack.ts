import * as Effect from "effect/Effect"
import type { Step } from "../middleware/Step.ts"
import * as DefaultStack from "../gate/DefaultStack.ts"
import * as CommandStack from "./commandStack.ts"
import * as Stack from "../host/Stack.ts"
import { tools } from "../tools/Builtin.ts"
import { projectConfig } from "./here.ts"
import * as JsonOutput from "./jsonOutput.ts"
import { Screen } from "./terminal/Screen.ts"
import type { Style } from "./terminal/Style.ts"

/** What stands in front of a tool or a command. */
interface Front {
  readonly name: string
  readonly steps: ReadonlyArray<Step>
}

const renderFront = ({ name, steps }: Front, style: Style): string => {
  const rows = steps.map(({ detail, step }) => `    ${step}${detail === "" ? "" : style.dim(`  ${detail}`)}\n`)
  return `${style.bold(name)}\n${rows.join("")}`
}

/** Says what stands in front of every tool, outermost first, and in front of the commands. */
export const showStack = (json: boolean) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const options = (yield* Stack.make)(yield* projectConfig)
    const command = (name: string, named = name) =>
      Effect.map(CommandStack.describe(named), (steps): Front => ({ name, steps }))
    const fronts = [
      ...tools.map((tool): Front => ({ name: tool.name, steps: DefaultStack.describe(options, tool) })),
      ...(yield* Effect.forEach(CommandStack.specific, (name) => command(name))),
      yield* command("tollgate …, any other command", "tollgate …")
    ]
    yield* answer(
      json
        ? JsonOutput.render(
            fronts.map((one) => JSON.stringify(one)),
            { json }
          )
        : fronts.map((one) => renderFront(one, style)).join("")
    )
  }).pipe(Effect.provide(Stack.observed))
