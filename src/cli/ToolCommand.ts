import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Configuration } from "../config/Configuration.ts"
import * as Records from "../host/Stores.ts"
import { Models } from "../model/Models.ts"
import { invoke, type Opened } from "../ui/Conversation.ts"
import { type PolicyOptions, policyOf } from "./approvalPolicy.ts"
import { flagsOf } from "./flags.ts"
import * as Frontend from "./Frontend.ts"
import { manual } from "./manualTools.ts"
import { serverTools } from "./mcp/slots.ts"
import { UsageError } from "./Outcome.ts"
import type { JsonOptions } from "./jsonOutput.ts"
import { outputOf } from "./Output.ts"
import { agentOf, perform, type RunOptions } from "./Run.ts"
import { Screen } from "./terminal/Screen.ts"
import { givenParameters, parametersOf, type Spoken, toolOf } from "./toolCall.ts"
import { fill } from "./toolForm.ts"
import { list } from "./ToolsCommand.ts"
import type { AnyTool } from "../tool/ToolCall.ts"
import { tools } from "../tools/Builtin.ts"

interface ToolOptions
  extends PolicyOptions, Spoken, JsonOptions, Pick<RunOptions, "session" | "last" | "screenReader"> {
  readonly name: Option.Option<string>
  /** Asks for each parameter. */
  readonly interactive: boolean
}

const run = (name: string, options: ToolOptions) =>
  Effect.gen(function* () {
    if (options.last && Option.isSome(options.session)) {
      return yield* new UsageError({ reason: "--continue and --session cannot be combined." })
    }
    if (tools.some((tool) => tool.name === name) && !manual.some((tool) => tool.name === name)) {
      const names = manual.map((tool) => tool.name).join(", ")
      return yield* new UsageError({ reason: `${name} is for the model only. Available: ${names}.` })
    }
    const all: ReadonlyArray<AnyTool> = [
      ...manual,
      ...(yield* Effect.scoped(Effect.provide(serverTools, Records.decided)))
    ]
    const tool = yield* toolOf(name, all)
    const { interactive } = yield* Screen
    if (options.interactive && !interactive) {
      return yield* new UsageError({
        reason: "-i asks in a terminal, and there is none. Give parameters as --name value."
      })
    }
    const parameters = options.interactive
      ? yield* fill(tool, yield* givenParameters(tool, options))
      : (yield* parametersOf(tool, options)).parameters
    const output = yield* outputOf(options)
    const attended = interactive && output === "text"
    const policy = yield* policyOf(options, attended)
    const begin = (opened: Opened) => invoke(opened, name, parameters)
    yield* perform({ ...options, profile: Option.none(), output }, begin, attended).pipe(
      Effect.provide(agentOf(Models.layerOf({}), policy, attended))
    )
  }).pipe(
    Effect.provide(Frontend.layer({ split: true, keys: !options.json && !options.jsonl })),
    Effect.provide(Configuration.layer(flagsOf({ ...options, profile: Option.none() })))
  )

/** Runs a tool for the person who asks, behind the same gate; its result becomes part of the session. */
export const tool = (options: ToolOptions) =>
  Effect.gen(function* () {
    if (Option.isNone(options.name)) return yield* list({ manual: true, json: false })
    yield* run(options.name.value, options)
  })
