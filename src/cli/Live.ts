import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type CallError, Tools } from "../agent/Tools.ts"
import type { ApprovalPolicy } from "../approval/ApprovalPolicy.ts"
import { Approvals } from "../approval/Approvals.ts"
import { Audit } from "../approval/Audit.ts"
import { ClientTools } from "../approval/ClientTools.ts"
import { Reviewer } from "../approval/Reviewer.ts"
import { FileHash } from "../approval/FileHash.ts"
import { Subjects } from "../approval/Subject.ts"
import { isIgnoredDirectory } from "../tools/files/Ignored.ts"
import type { NoProfile } from "../config/ConfigError.ts"
import { Configuration } from "../config/Configuration.ts"
import type { ReviewerProgram, Settings } from "../config/Settings.ts"
import { toLimits } from "../config/ToolLimit.ts"
import type { CallRequest } from "../gate/CallRequest.ts"
import * as DefaultStack from "../gate/DefaultStack.ts"
import * as Toolset from "../gate/Toolset.ts"
import * as ConfiguredModels from "../model/ConfiguredModels.ts"
import { Memory } from "../memory/Memory.ts"
import { backoff } from "../middleware/retry.ts"
import { Models } from "../model/Models.ts"
import { environment } from "../process/Environment.ts"
import { Processes } from "../process/Processes.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { RuntimeOptions, defaults, type RuntimeSettings } from "../runtime/RuntimeOptions.ts"
import * as Collector from "../telemetry/Collector.ts"
import { toHooks } from "../tool/CommandHook.ts"
import { FileChanges } from "../tool/FileChanges.ts"
import * as HookProcesses from "../tool/HookProcesses.ts"
import type { HookRunner } from "../tool/HookRunner.ts"
import { loopGuard } from "../tool/loopGuard.ts"
import { Notifications } from "../tool/Notifications.ts"
import { ProgressBoard } from "../tool/ProgressBoard.ts"
import { Spill } from "../tool/Spill.ts"
import type * as Tool from "../tool/Tool.ts"
import * as LazyHttpClient from "./LazyHttpClient.ts"
import { projectConfig } from "./ProjectConfig.ts"
import { whileTrusted } from "./projectHooks.ts"
import * as Records from "./Records.ts"
import { ruleOptions } from "./ruleOptions.ts"

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
  Effect.gen(function* () {
    const { settings } = yield* Configuration
    const wanted = yield* spans
    const { contextCharacters, maxDepth, maxIterations, maxWorkers, parallelCalls, systemPrompt, timeouts } = settings
    const configured: Partial<RuntimeSettings> = {
      spans: Option.match(wanted, { onNone: () => false, onSome: ({ content }) => (content ? "content" : true) }),
      ...(maxIterations === undefined ? {} : { maxIterations }),
      ...(contextCharacters === undefined ? {} : { contextCharacters }),
      ...(parallelCalls === undefined ? {} : { parallelCalls }),
      ...(maxDepth === undefined ? {} : { maxDepth }),
      ...(maxWorkers === undefined ? {} : { maxWorkers }),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(timeouts?.task === undefined ? {} : { taskTimeout: timeouts.task })
    }
    return Layer.succeed(RuntimeOptions, { ...defaults, ...configured })
  })
)

/** Whether spans are told of, and whether they may hold content. */
const spans = Effect.map(
  Collector.fromEnvironment,
  Option.map(({ content = false }) => ({ content }))
)

/** Tools that only read are tried again where their error says that it may pass. */
const retry = backoff({
  maxAttempts: 3,
  initialDelay: "250 millis",
  multiplier: 2,
  maxDelay: "10 seconds",
  jitter: true
})

/** What the steps of the stack tell besides events, for whoever is in the same process; nothing of it outlives it. */
export const observed: Layer.Layer<Notifications | ProgressBoard | FileChanges> = Layer.mergeAll(
  Notifications.layer(),
  ProgressBoard.layer(),
  FileChanges.layer()
)

/** Where results that are too long for the model are kept whole, but for their secrets. */
export const spill: Layer.Layer<Spill, never, Configuration> = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { home } = yield* Configuration
    const { text: redact } = yield* Redactor
    return Spill.layerDirectory({ directory: home.results, redact })
  })
).pipe(Layer.provide([NodeFileSystem.layer, NodePath.layer]))

/** Bytes that the model is given of a result whose tool does not bound it. */
const resultLimit = 100_000

/** What the configuration says of the stack in front of every tool. */
export const stack = Effect.gen(function* () {
  const { settings } = yield* Configuration
  const { settings: ofProject, trusted } = yield* projectConfig
  const { hooks: user = [], loopGuard: { action = "ask", ...often } = {}, timeouts } = settings
  const { hooks: project = [] } = ofProject
  const wanted = yield* spans
  return {
    notifications: { show: yield* Notifications },
    ...(action !== "off" && { loopGuard: yield* loopGuard({ action, ...often }) }),
    limits: (yield* Effect.forEach(settings.limits ?? [], toLimits)).flat(),
    resultLimit: { bytes: settings.resultLimit ?? resultLimit, spill: yield* Spill },
    retry,
    timeouts: { limit: timeouts?.tool ?? Duration.minutes(2), ...(timeouts?.idle && { idle: timeouts.idle }) },
    progress: yield* ProgressBoard,
    fileChanges: yield* FileChanges,
    ...(Option.isSome(wanted) && { telemetry: wanted.value }),
    ...(user.length + project.length > 0 && { hooks: toHooks({ user, project, projectTrusted: trusted }) })
  }
})

/** The environment of the user's own programs: what lies in the directories that tools write is none of them. */
const ownEnvironment = ({ path, roots = [] }: Settings) =>
  environment({ ...process.env, ...(path && { PATH: path.join(":") }) }, {}, [process.cwd(), ...roots])

/** A program of the user that decides before a person is asked. */
const reviewing = ({ command: [file, ...args], ...options }: ReviewerProgram, settings: Settings) =>
  Reviewer.layerProgram({ file, args, cwd: process.cwd(), env: ownEnvironment(settings), ...options }).pipe(
    Layer.provide(Processes.layer)
  )

/** How long whoever is asked a question has to answer it. */
const patience = Duration.minutes(15)

/** A toolset whose requirements are built with its first call. */
const later = <E, R, E2>(toolset: Toolset.Toolset<E, R>, requirements: Layer.Layer<R, E2>) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const context = yield* Effect.cached(Layer.buildWithScope(requirements, scope))
    const call = (request: CallRequest) =>
      Effect.flatMap(context, (built) => Effect.provide(toolset.call(request), built))
    return { ...toolset, call } satisfies Toolset.Toolset<E | E2, never>
  })

export interface LiveOptions<T extends ReadonlyArray<Tool.Any>, E, R, E2> {
  readonly tools: T
  /** What the tools require besides the user's memory. */
  readonly requirements: Layer.Layer<Exclude<Tool.Requirements<T[number]>, Memory>, E2>
  readonly models: Layer.Layer<Models, E, R>
  readonly policy: ApprovalPolicy
  /** Whether anybody can be asked. */
  readonly attended: boolean
  /** The directory that rules about paths start from. */
  readonly workspace: string
}

/** These tools behind the configured stack. */
const sealed = <const T extends ReadonlyArray<Tool.Any>, E extends CallError>(
  tools: T,
  requirements: Layer.Layer<Exclude<Tool.Requirements<T[number]>, Memory>, E>
) =>
  Layer.scoped(
    Tools,
    Effect.gen(function* () {
      const given = Layer.mergeAll(
        Layer.succeed(Approvals, yield* Approvals),
        Layer.succeed(Audit, yield* Audit),
        Layer.succeed(Memory, yield* Memory)
      )
      const seal = Toolset.make(tools, { middleware: DefaultStack.make(yield* Effect.provide(stack, spill)) })
      const toolset = (yield* seal) as unknown as Toolset.Toolset<
        CallError,
        Exclude<Tool.Requirements<T[number]>, Memory> | Memory | Approvals | HookRunner
      >
      const found = yield* projectConfig
      const env = ownEnvironment((yield* Configuration).settings)
      const hooks = Layer.suspend(() =>
        whileTrusted(found, env).pipe(
          Layer.provide(HookProcesses.layer({ cwd: process.cwd(), env })),
          Layer.provide(Processes.layer)
        )
      )
      const configuration = Layer.succeed(Configuration, yield* Configuration)
      const complete = yield* later(toolset, Layer.mergeAll(requirements, given, Layer.provide(hooks, configuration)))
      return yield* Effect.provide(Tools, Tools.layer(complete))
    })
  )

/** The runtime over the user's sessions. */
export const layer = <const T extends ReadonlyArray<Tool.Any>, E, R, E2 extends CallError>({
  attended,
  models,
  policy,
  requirements,
  tools,
  workspace
}: LiveOptions<T, E, R, E2>) => {
  const approvals = Layer.unwrapEffect(
    Effect.gen(function* () {
      const { settings } = yield* Configuration
      const { reviewer, timeout } = settings.approvals ?? {}
      const made = Approvals.layerAudited({
        policy,
        attended,
        danger: policy === "allow",
        always: true,
        root: workspace,
        ...(yield* ruleOptions),
        ...(timeout === undefined ? {} : { timeout })
      })
      return reviewer === undefined ? made : Layer.provide(made, reviewing(reviewer, settings))
    })
  )
  return Runtime.layer.pipe(
    Layer.provide(sealed(tools, requirements)),
    Layer.provide(models),
    Layer.provideMerge(approvals),
    Layer.provide(Subjects.layerLocal(isIgnoredDirectory)),
    Layer.provide(Records.watchedAudit),
    Layer.provide(Records.memory),
    Layer.provide(ClientTools.layer({ timeout: patience })),
    Layer.provideMerge(Records.decided),
    Layer.provide(FileHash.layerLocal),
    Layer.provideMerge(observed),
    Layer.provideMerge(Records.sessions),
    Layer.provide(options)
  )
}

/** A runtime that reads sessions and runs nothing. */
export const reading = layer({
  tools: [],
  requirements: Layer.empty,
  models: Models.layerOf({}),
  policy: "fail",
  attended: false,
  workspace: process.cwd()
})
