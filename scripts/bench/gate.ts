import * as Ai from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schema from "effect/Schema"
import { performance } from "node:perf_hooks"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Audit } from "../../src/audit/Audit.ts"
import { RuleStore } from "../../src/approval/RuleStore.ts"
import { backoff } from "../../src/middleware/retry.ts"
import { concurrency } from "../../src/middleware/concurrency.ts"
import { rateLimit } from "../../src/middleware/rateLimit.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import { FileChanges } from "../../src/tool/FileChanges.ts"
import * as Hook from "../../src/tool/Hook.ts"
import { loopGuard } from "../../src/tool/loopGuard.ts"
import { Notifications } from "../../src/tool/Notifications.ts"
import { ProgressBoard } from "../../src/tool/ProgressBoard.ts"
import * as Tool from "../../src/tool/Tool.ts"
import type { CallRequest } from "../../src/gate/CallRequest.ts"
import { silent } from "../../src/tool/ToolCall.ts"
import * as Toolset from "../../src/gate/Toolset.ts"

const parameters = { text: Schema.String, times: Schema.optional(Schema.Number) }

const Echo = Tool.make("echo", {
  description: "Says it again",
  parameters: Schema.Struct(parameters),
  success: Schema.String,
  readOnly: true,
  resultLimit: 64 * 1024,
  handler: ({ text }) => Effect.succeed(text)
})

const raw = { text: "hello", times: 2 }

const request = {
  name: "echo",
  callId: "call_1",
  sessionId: "session_1",
  workerPath: ["root"],
  rawParams: raw,
  startedAt: 0,
  sink: silent
}

/** A call that has just begun, so that none is taken for one that took long. */
const begun = (): CallRequest => ({ ...request, startedAt: Math.round(performance.timeOrigin + performance.now()) })

const rounds = 12
const calls = 20_000

/** Microseconds per run of an effect, the least of several rounds, all inside one fiber. */
const measure = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  run: (effect: Effect.Effect<void, E, R>) => Promise<void>
): Promise<number> => {
  const loop = (count: number) =>
    Effect.gen(function* () {
      for (let index = 0; index < count; index++) yield* self
    })
  const round = (left: number, least: number): Promise<number> => {
    if (left === 0) return Promise.resolve(least)
    const from = process.hrtime.bigint()
    return run(loop(calls)).then(() => {
      const micros = Number(process.hrtime.bigint() - from) / 1000 / calls
      return round(left - 1, Math.min(least, micros))
    })
  }
  return run(loop(calls / 2)).then(() => round(rounds, Infinity))
}

const plain = <E>(effect: Effect.Effect<void, E>) => Effect.runPromise(effect)

/** The handler with its parameters decoded and its success encoded by hand, which no caller can do without. */
export const bareHandler = (): Promise<number> => {
  const decode = Schema.decodeUnknownEither(Schema.Struct(parameters), { errors: "all", onExcessProperty: "error" })
  const encode = Schema.encodeUnknownEither(Schema.String)
  const call = { ...begun(), kind: "tool" } as never
  return measure(
    Effect.suspend(() => Effect.flatMap(Echo.handler(Either.getOrThrow(decode(raw)), call), (text) => encode(text))),
    plain
  )
}

/** The handler alone, on parameters that are decoded already. */
export const handlerAlone = (): Promise<number> => {
  const call = { ...begun(), kind: "tool" } as never
  return measure(
    Effect.suspend(() => Echo.handler(raw, call)),
    plain
  )
}

/** A sealed toolset without any middleware. */
export const gateNothing = (): Promise<number> =>
  Effect.runPromise(Toolset.make([Echo])).then((toolset) =>
    measure(
      Effect.suspend(() => toolset.call(begun())),
      plain
    )
  )

/** The default stack without any option. */
export const gateDefault = (): Promise<number> =>
  Effect.runPromise(Toolset.make([Echo], { middleware: DefaultStack.make({}) })).then((toolset) =>
    measure(
      Effect.suspend(() => toolset.call(begun())),
      plain
    )
  )

const everything = (telemetry: Pick<DefaultStack.DefaultStackOptions<never>, "telemetry">) =>
  Effect.gen(function* () {
    return yield* Toolset.make([Echo], {
      middleware: DefaultStack.make({
        ...telemetry,
        notifications: { show: yield* Notifications },
        hooks: [
          Hook.pre("*", () => Effect.succeed(Hook.Before.Continue())),
          Hook.post("*", () => Effect.succeed(Hook.After.Keep()))
        ],
        loopGuard: yield* loopGuard({ action: "stop", repeats: Infinity }),
        limits: [
          { tools: "*", middleware: yield* concurrency(16) },
          { tools: "*", middleware: yield* rateLimit({ permits: 1e9, per: "1 second" }) }
        ],
        resultLimit: { bytes: 64 * 1024 },
        retry: backoff({
          maxAttempts: 3,
          initialDelay: "100 millis",
          multiplier: 2,
          maxDelay: "10 seconds",
          jitter: true
        }),
        timeouts: { limit: Duration.seconds(30), idle: Duration.seconds(10) },
        progress: yield* ProgressBoard,
        fileChanges: yield* FileChanges
      })
    })
  })

const services = Layer.mergeAll(
  Notifications.layer(),
  ProgressBoard.layer(),
  FileChanges.layer(),
  Approvals.layer({ policy: "allow" }).pipe(Layer.provide([Audit.layerMemory, RuleStore.layerMemory]), Layer.orDie)
)

const configured = (telemetry: Parameters<typeof everything>[0]): Promise<number> => {
  const runtime = ManagedRuntime.make(services)
  return runtime
    .runPromise(everything(telemetry))
    .then((toolset) =>
      measure(
        Effect.suspend(() => toolset.call(begun())),
        (effect) => runtime.runPromise(effect)
      )
    )
    .finally(() => runtime.dispose())
}

/** Every step as it is where no collector is named; the tool asks for no approval. */
export const gateConfigured = (): Promise<number> => configured({})

/** Every step and telemetry, its span made by the tracer of Effect and kept by nobody. */
export const gateTraced = (): Promise<number> => configured({ telemetry: {} })

/** The same tool through `Toolkit.handle` of `@effect/ai`. */
export const toolkitHandle = (): Promise<number> => {
  const toolkit = Toolkit.make(Ai.make("echo", { description: "Says it again", parameters, success: Schema.String }))
  const handlers = toolkit.toLayer({ echo: ({ text }) => Effect.succeed(text) })
  return Effect.runPromise(Effect.provide(toolkit, handlers)).then(({ handle }) =>
    measure(
      Effect.suspend(() => handle("echo", raw)),
      plain
    )
  )
}
