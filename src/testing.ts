import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type CallError, Tools } from "./agent/Tools.ts"
import type { ApprovalPolicy } from "./approval/ApprovalPolicy.ts"
import { Approvals } from "./approval/Approvals.ts"
import { ClientTools } from "./approval/ClientTools.ts"
import type { ModelService } from "./model/Model.ts"
import { Models } from "./model/Models.ts"
import * as Scripted from "./model/Scripted.ts"
import { type Command, CreateSession, SubmitPrompt } from "./runtime/Command.ts"
import type { Envelope } from "./runtime/Envelope.ts"
import { type Event, isTerminal } from "./runtime/Event.ts"
import type { LogError } from "./runtime/EventLog.ts"
import * as MemorySessionStore from "./runtime/MemorySessionStore.ts"
import { RuntimeHasStopped } from "./runtime/Answers.ts"
import { Runtime } from "./runtime/Runtime.ts"
import { RuntimeOptions, defaults, type RuntimeSettings } from "./runtime/RuntimeOptions.ts"
import type { SessionStore } from "./runtime/SessionStore.ts"
import * as DefaultStack from "./gate/DefaultStack.ts"
import { Ids } from "./tool/Ids.ts"
import type * as Tool from "./tool/Tool.ts"
import * as Toolset from "./gate/Toolset.ts"

export * as Timeline from "./harness/Timeline.ts"
export * as Scripted from "./model/Scripted.ts"

/** What the tools require is in the type of the layer. */
type SealedHarness = Effect.Effect<Toolset.Toolset<CallError, never>, Toolset.ToolsetInvalid>

type Decide = Parameters<typeof Approvals.layerDecide>[0]

export interface HarnessOptions<Tools extends ReadonlyArray<Tool.Any>> {
  /** The turns of a scripted model, or any model. */
  readonly model: ReadonlyArray<Scripted.Turn> | ModelService
  readonly tools?: Tools
  /** Approvals decide themselves by this rule; where it is absent, by the policy. */
  readonly decide?: Decide
  /** `allow` where absent. */
  readonly policy?: ApprovalPolicy
  /** Who decides, instead of the policy or the rule, e.g. with an audit. */
  readonly approvals?: Layer.Layer<Approvals>
  readonly stack?: DefaultStack.DefaultStackOptions<never>
  readonly settings?: Partial<RuntimeSettings>
  /** Where sessions are kept; in memory where absent. */
  readonly store?: Layer.Layer<SessionStore>
  /** Ids that never come again, instead of the same ones every time. */
  readonly randomIds?: boolean
}

/**
 * A whole runtime for tests: a scripted model, tools behind the default stack, approvals that decide themselves, sessions
 * in memory and ids that are the same every time.
 */
export const layer = <const T extends ReadonlyArray<Tool.Any> = readonly []>(
  options: HarnessOptions<T>
): Layer.Layer<
  Runtime | SessionStore | Approvals,
  Toolset.ToolsetInvalid,
  // oxlint-disable-next-line typescript/no-empty-object-type -- no middleware of its own
  Exclude<Toolset.SealedRequirements<T, {}>, Approvals>
> => {
  const models = Layer.unwrapEffect(
    Effect.map("stream" in options.model ? Effect.succeed(options.model) : Scripted.make(options.model), (model) =>
      Models.layerOf({ scripted: model })
    )
  )
  const approvals =
    options.approvals ??
    (options.decide === undefined
      ? Approvals.layer({ policy: options.policy ?? "allow" })
      : Approvals.layerDecide(options.decide))
  const sealed: unknown = Toolset.make(options.tools ?? [], { middleware: DefaultStack.make(options.stack ?? {}) })
  return Runtime.layer.pipe(
    Layer.provide(Tools.layerEffect(sealed as SealedHarness)),
    Layer.provide(models),
    Layer.provide(ClientTools.layer()),
    Layer.provideMerge(approvals),
    Layer.provideMerge(options.store ?? MemorySessionStore.layer),
    Layer.provide(Layer.succeed(RuntimeOptions, { ...defaults, systemPrompt: "", ...options.settings })),
    Layer.provideMerge(options.randomIds === true ? Layer.empty : Ids.layerSequential)
  ) as never
}

/** A session under test. */
export interface TestSession {
  readonly id: string
  readonly send: (command: Command) => Effect.Effect<void>
  /** Submits a prompt and gives what happened until its task ended; it fails where the runtime stops before. */
  readonly run: (prompt: string, task?: string) => Effect.Effect<ReadonlyArray<Envelope>, LogError | RuntimeHasStopped>
  /** The first event that matches, past or future. */
  readonly awaitEvent: <E extends Event>(
    matches: (event: Event) => event is E
  ) => Effect.Effect<E, LogError | RuntimeHasStopped>
  /** Waits until the task has ended; one that waits for a decision does not where the runtime stops. */
  readonly awaitEnd: (task: string) => Effect.Effect<Event, LogError | RuntimeHasStopped>
  /** Everything durable so far. */
  readonly recorded: Effect.Effect<ReadonlyArray<Envelope>, LogError>
}

/** The events of a session end with its runtime. */
const orStopped = <A>(found: Option.Option<A>) => Effect.mapError(found, () => new RuntimeHasStopped())

/** Opens a session by commands and watches it by its events alone, as any frontend does. */
export const session = (id = "session_1"): Effect.Effect<TestSession, LogError, Runtime> =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const ids = yield* Ids
    const send = (command: Command) => Effect.orDie(runtime.send(command))
    const happening = yield* runtime.events
    yield* send(new CreateSession({ session: id, project: "test" }))
    yield* Stream.runHead(Stream.filter(happening, (envelope) => envelope.session === id))
    const events = (from: number, follow: boolean) =>
      runtime
        .subscribe(id, { from, follow })
        .pipe(
          Stream.catchAll((error): Stream.Stream<never, LogError> =>
            error._tag === "SessionNotFound" ? Stream.die(error) : Stream.fail(error)
          )
        )
    const awaitEvent = <E extends Event>(matches: (event: Event) => event is E) =>
      events(1, true).pipe(
        Stream.map(({ event }) => event),
        Stream.filter(matches),
        Stream.runHead,
        Effect.flatMap(orStopped)
      )
    const recorded = Effect.map(Stream.runCollect(events(1, false)), Chunk.toReadonlyArray)
    return {
      id,
      send,
      awaitEvent,
      recorded,
      awaitEnd: (task) =>
        events(1, true).pipe(
          Stream.filter((envelope) => envelope.task === task && isTerminal(envelope.event)),
          Stream.map(({ event }) => event),
          Stream.runHead,
          Effect.flatMap(orStopped)
        ),
      run: (prompt, name) =>
        Effect.gen(function* () {
          const task = name ?? (yield* ids.next("task"))
          const head = (yield* recorded).length
          yield* send(new SubmitPrompt({ session: id, task, prompt }))
          const seen = yield* events(head + 1, true).pipe(
            Stream.takeUntil((envelope) => envelope.task === task && isTerminal(envelope.event)),
            Stream.runCollect
          )
          const last = Chunk.last(seen)
          if (!Option.exists(last, ({ event, task: of }) => of === task && isTerminal(event))) {
            return yield* new RuntimeHasStopped()
          }
          return Chunk.toReadonlyArray(seen)
        })
    }
  })
