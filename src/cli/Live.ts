import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type CallError, Tools } from "../agent/Tools.ts"
import type { ApprovalPolicy } from "../approval/ApprovalPolicy.ts"
import { Approvals } from "../approval/Approvals.ts"
import { approve } from "../approval/approve.ts"
import type { NoProfile } from "../config/ConfigError.ts"
import { Configuration } from "../config/Configuration.ts"
import { Database } from "../database/Database.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import * as ConfiguredModels from "../model/ConfiguredModels.ts"
import { Models } from "../model/Models.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { RuntimeOptions, defaults, type RuntimeSettings } from "../runtime/RuntimeOptions.ts"
import type { SessionStore } from "../runtime/SessionStore.ts"
import * as SqlSessionStore from "../runtime/SqlSessionStore.ts"
import * as DefaultStack from "../tool/DefaultStack.ts"
import type * as Tool from "../tool/Tool.ts"
import type { CallRequest } from "../tool/ToolCall.ts"
import * as Toolset from "../tool/Toolset.ts"
import * as LazyHttpClient from "./LazyHttpClient.ts"

/** The sessions of the user. */
export const store: Layer.Layer<SessionStore, DatabaseError, Configuration> = Layer.unwrapEffect(
  Effect.map(Configuration, ({ home }) => SqlSessionStore.layer.pipe(Layer.provide(Database.layer(home.database))))
)

/** The models of the configuration; it must name at least one. */
export const models: Layer.Layer<Models, NoProfile, Configuration> = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { preferred, profiles, secret } = yield* Configuration
    return ConfiguredModels.layer(profiles, yield* preferred, secret).pipe(
      Layer.provide(LazyHttpClient.layer),
      Layer.provide(NodeFileSystem.layer)
    )
  })
)

/** What the configuration says of the runtime. */
const options: Layer.Layer<never, never, Configuration> = Layer.unwrapEffect(
  Effect.map(Configuration, ({ settings }) => {
    const { contextCharacters, maxIterations, parallelCalls, systemPrompt, timeouts } = settings
    const configured: Partial<RuntimeSettings> = {
      ...(maxIterations === undefined ? {} : { maxIterations }),
      ...(contextCharacters === undefined ? {} : { contextCharacters }),
      ...(parallelCalls === undefined ? {} : { parallelCalls }),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(timeouts?.task === undefined ? {} : { taskTimeout: timeouts.task })
    }
    return Layer.succeed(RuntimeOptions, { ...defaults, ...configured })
  })
)

/** What the configuration says of the stack in front of every tool. */
export const stack = Effect.map(Configuration, ({ settings: { timeouts } }) => ({
  approval: approve,
  timeouts: {
    ...(timeouts?.tool === undefined ? {} : { limit: timeouts.tool }),
    ...(timeouts?.idle === undefined ? {} : { idle: timeouts.idle })
  }
}))

/** A toolset whose requirements are built with its first call. */
const later = <E, R, E2>(toolset: Toolset.Toolset<E, R>, requirements: Layer.Layer<R, E2>) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const context = yield* Effect.cached(Layer.buildWithScope(requirements, scope))
    const call = (request: CallRequest) =>
      Effect.flatMap(context, (built) => Effect.provide(toolset.call(request), built))
    return { tools: toolset.tools, call } satisfies Toolset.Toolset<E | E2, never>
  })

export interface LiveOptions<T extends ReadonlyArray<Tool.Any>, E, R, E2> {
  readonly tools: T
  /** What the tools require. */
  readonly requirements: Layer.Layer<Tool.Requirements<T[number]>, E2>
  readonly models: Layer.Layer<Models, E, R>
  readonly policy: ApprovalPolicy
}

/** These tools behind the configured stack. */
const sealed = <const T extends ReadonlyArray<Tool.Any>, E extends CallError>(
  tools: T,
  requirements: Layer.Layer<Tool.Requirements<T[number]>, E>
) =>
  Layer.scoped(
    Tools,
    Effect.gen(function* () {
      const approvals = Layer.succeed(Approvals, yield* Approvals)
      const seal = Toolset.seal({ tools, middleware: DefaultStack.make(yield* stack) })
      const toolset = (yield* seal) as unknown as Toolset.Toolset<CallError, Tool.Requirements<T[number]> | Approvals>
      const complete = yield* later(toolset, Layer.merge(requirements, approvals))
      return yield* Effect.provide(Tools, Tools.layer(complete))
    })
  )

/** The runtime over the user's sessions. */
export const layer = <const T extends ReadonlyArray<Tool.Any>, E, R, E2 extends CallError>({
  models,
  policy,
  requirements,
  tools
}: LiveOptions<T, E, R, E2>) => {
  const approvals = Layer.unwrapEffect(
    Effect.map(Configuration, ({ settings: { approvals } }) =>
      Approvals.layer({ policy, ...(approvals?.timeout === undefined ? {} : { timeout: approvals.timeout }) })
    )
  )
  return Runtime.layer.pipe(
    Layer.provide(sealed(tools, requirements)),
    Layer.provide(models),
    Layer.provide(approvals),
    Layer.provideMerge(store),
    Layer.provide(options)
  )
}

/** A runtime that reads sessions and runs nothing. */
export const reading = layer({
  tools: [],
  requirements: Layer.empty,
  models: Models.layerOf({}),
  policy: "fail"
})
