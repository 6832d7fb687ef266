import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Configuration } from "../config/Configuration.ts"
import { toLimits } from "../config/ToolLimit.ts"
import { backoff } from "../middleware/retry.ts"
import { Redactor } from "../redaction/Redactor.ts"
import * as Collector from "../telemetry/Collector.ts"
import { toHooks } from "../tool/CommandHook.ts"
import { FileChanges } from "../tool/FileChanges.ts"
import { loopGuard } from "../tool/loopGuard.ts"
import { Notifications } from "../tool/Notifications.ts"
import { ProgressBoard } from "../tool/ProgressBoard.ts"
import { Spill } from "../tool/Spill.ts"
import type { ProjectConfig } from "./ProjectConfig.ts"

/** Whether spans are made, and whether they may hold content. */
export const spans = Effect.map(
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

/** What the steps of the stack report besides events, within the process alone. */
export const observed: Layer.Layer<Notifications | ProgressBoard | FileChanges> = Layer.mergeAll(
  Notifications.layer(),
  ProgressBoard.layer(),
  FileChanges.layer()
)

/** Where results that are too long for the model are kept whole, but for their secrets. */
export const spill = Effect.gen(function* () {
  const { home } = yield* Configuration
  const { text: redact } = yield* Redactor
  const layer = Spill.layerDirectory({ directory: home.results, redact })
  return yield* Effect.provide(Spill, Layer.provide(layer, [NodeFileSystem.layer, NodePath.layer]))
})

/** Bytes that the model is given of a result whose tool does not bound it. */
const resultLimit = 100_000

/** What the configuration says of the stack in front of every tool, whose limits all projects share, and what each adds to it. */
export const make = Effect.gen(function* () {
  const { settings } = yield* Configuration
  const { hooks: user = [], loopGuard: { action = "ask", ...often } = {}, timeouts } = settings
  const wanted = yield* spans
  const shared = {
    notifications: { show: yield* Notifications },
    ...(action !== "off" && { loopGuard: yield* loopGuard({ action, ...often }) }),
    limits: (yield* Effect.forEach(settings.limits ?? [], toLimits)).flat(),
    resultLimit: { bytes: settings.resultLimit ?? resultLimit, spill: yield* spill },
    retry,
    timeouts: { limit: timeouts?.tool ?? Duration.minutes(2), ...(timeouts?.idle && { idle: timeouts.idle }) },
    progress: yield* ProgressBoard,
    fileChanges: yield* FileChanges,
    ...(Option.isSome(wanted) && { telemetry: wanted.value })
  }
  return ({ settings: { hooks: project = [] }, trusted }: ProjectConfig) => ({
    ...shared,
    ...(user.length + project.length > 0 && { hooks: toHooks({ user, project, projectTrusted: trusted }) })
  })
})

/** The options of the stack in front of the tools of a project. */
export type Stack = ReturnType<Effect.Effect.Success<typeof make>>
