import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Configuration } from "../config/Configuration.ts"
import { Models } from "../model/Models.ts"
import { invoke, type Opened } from "../ui/Conversation.ts"
import { type PolicyOptions, policyOf } from "./approvalPolicy.ts"
import { flagsOf } from "./flags.ts"
import * as Frontend from "./Frontend.ts"
import { hanging } from "./terminal/Layout.ts"
import { UsageError } from "./Outcome.ts"
import type { JsonOptions } from "./jsonOutput.ts"
import { agentOf, outputOf, perform, type RunOptions } from "./Run.ts"
import { Screen } from "./terminal/Screen.ts"
import { parametersOf, type Spoken, toolOf } from "./toolCall.ts"
import { tools } from "../tools/Builtin.ts"

/** Tools that a person may run. */
export const manual = tools.filter(({ location, mode }) => mode !== "llm" && location === "server")

interface ToolOptions extends PolicyOptions, Spoken, JsonOptions, Pick<RunOptions, "session" | "last"> {
  readonly name: Option.Option<string>
}

/** Lists what a person may run, by category. */
const list = Effect.gen(function* () {
  const { answer, style, width } = yield* Screen
  const categories = [...new Set(manual.map(({ category }) => category))].sort()
  for (const category of categories) {
    yield* answer(`${style.bold(category)}\n`)
    for (const { description, name } of manual.filter((tool) => tool.category === category)) {
      yield* answer(`  ${style.cyan(name)}\n${hanging("    ", description, width() - 1)}`)
    }
  }
}).pipe(Effect.provide(Screen.layer({ split: false })))

const run = (name: string, options: ToolOptions) =>
  Effect.gen(function* () {
    if (options.last && Option.isSome(options.session)) {
      return yield* new UsageError({ reason: "--continue and --session cannot be combined." })
    }
    if (tools.some((tool) => tool.name === name) && !manual.some((tool) => tool.name === name)) {
      const names = manual.map((tool) => tool.name).join(", ")
      return yield* new UsageError({ reason: `${name} is for the model only. Available: ${names}.` })
    }
    const tool = yield* toolOf(name, manual)
    const { parameters } = yield* parametersOf(tool, options)
    const { interactive } = yield* Screen
    const output = yield* outputOf(options)
    const attended = interactive && output === "text"
    const policy = yield* policyOf(options, attended)
    const begin = (opened: Opened) => invoke(opened, name, parameters)
    yield* perform({ ...options, profile: Option.none(), output }, begin, attended).pipe(
      Effect.provide(agentOf(Models.layerOf({}), policy, attended))
    )
  }).pipe(
    Effect.provide(Frontend.layer({ split: true, keys: !options.json && !options.jsonl })),
    Effect.provide(Configuration.layer(flagsOf({ profile: Option.none() })))
  )

/** Runs a tool for the person who asks, behind the same gate; its result becomes part of the session. */
export const tool = (options: ToolOptions) =>
  Effect.gen(function* () {
    if (Option.isNone(options.name)) return yield* list
    yield* run(options.name.value, options)
  })
