/**
 * A whole runtime for tests, and sessions that are driven and watched as any frontend does.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import * as Testing from "tollgate/testing"
 *
 * export const test = Effect.gen(function* () {
 *   const session = yield* Testing.session()
 *   const events = yield* session.run("Hello")
 *   return Testing.Timeline.violations(events)
 * }).pipe(Effect.provide(Testing.layer({ model: ["Hi."] })))
 * ```
 */

import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type CallError, Tools } from "./agent/Tools.ts"
import type { ApprovalPolicy } from "./approval/ApprovalPolicy.ts"
import { Approvals } from "./approval/Approvals.ts"
import { ClientTools } from "./tool/ClientTools.ts"
import * as DefaultStack from "./gate/DefaultStack.ts"
import * as Toolset from "./gate/Toolset.ts"
import * as Harness from "./harness/Harness.ts"
import type { ModelService } from "./model/Model.ts"
import { Models } from "./model/Models.ts"
import * as Scripted from "./model/Scripted.ts"
import type { Command } from "./runtime/Command.ts"
import type { Envelope } from "./runtime/Envelope.ts"
import { type Event, type EventTag, isTerminal } from "./runtime/Event.ts"
import type { LogError } from "./runtime/storeFailure.ts"
import * as MemorySessionStore from "./runtime/MemorySessionStore.ts"
import { Runtime } from "./runtime/Runtime.ts"
import { RuntimeOptions, defaults, type RuntimeSettings } from "./runtime/RuntimeOptions.ts"
import { type RequestError, SessionClosed, type SessionHandle } from "./runtime/SessionHandle.ts"
import type { SessionStore } from "./runtime/SessionStore.ts"
import type { ApprovalRequest } from "./tool/ApprovalRequest.ts"
import { Ids } from "./tool/Ids.ts"
import type * as Tool from "./tool/Tool.ts"

export * as Recording from "./harness/Recording.ts"
export type * from "./gate/GateError.ts"
export * as Timeline from "./harness/Timeline.ts"
export * as Scripted from "./model/Scripted.ts"
export type { Harness } from "./harness/Harness.ts"

type Decide = Parameters<typeof Approvals.layerDecide>[0]

interface CommonOptions {
  /** The turns of a scripted model, or any model, e.g. `Recording.model(log)`. */
  readonly model: ReadonlyArray<Scripted.Turn> | ModelService
  /** Decides every request. Default: the policy decides. */
  readonly decide?: Decide
  /** Default: `allow`. */
  readonly policy?: ApprovalPolicy
  /** Who decides, instead of the policy or the rule, e.g. with an audit. */
  readonly approvals?: Layer.Layer<Approvals>
  readonly settings?: Partial<RuntimeSettings>
  /** Where sessions are kept. Default: in memory. */
  readonly store?: Layer.Layer<SessionStore>
  /** Ids that never come again, instead of the same ones every time; for a store that another layer has used or will use. */
  readonly randomIds?: boolean
}

/** Tools that the harness seals behind the default stack. */
export interface HarnessOptions<Tools extends ReadonlyArray<Tool.Any>> extends CommonOptions {
  readonly tools?: Tools
  readonly stack?: DefaultStack.DefaultStackOptions<never>
  readonly toolset?: undefined
}

/** A toolset as it is sealed for production. */
export interface SealedOptions<E extends CallError, R, E2, R2> extends CommonOptions {
  readonly toolset: Toolset.Toolset<E, R> | Effect.Effect<Toolset.Toolset<E, R>, E2, R2>
}

type Provided = Runtime | SessionStore | Approvals | Harness.Harness

type Sealed = Effect.Effect<Toolset.Toolset<CallError, never>, Toolset.ToolsetInvalid>

/** What a `TestClock` holds up does not end by waiting for it. */
const quiet = { systemPrompt: "", stragglerGrace: Duration.zero }

/**
 * A whole runtime for tests: a scripted model, tools behind the default stack or a toolset of yours, approvals that decide
 * themselves, sessions in memory and ids that are the same every time. What the tools require is in the type of the layer.
 */
export const layer: {
  <E extends CallError, R, E2 = never, R2 = never>(
    options: SealedOptions<E, R, E2, R2>
  ): Layer.Layer<Provided, E2, Exclude<R | R2, Approvals>>
  <const T extends ReadonlyArray<Tool.Any> = readonly []>(
    options: HarnessOptions<T>
  ): Layer.Layer<
    Provided,
    Toolset.ToolsetInvalid,
    // oxlint-disable-next-line typescript/no-empty-object-type -- no middleware of its own
    Exclude<Toolset.SealedRequirements<T, {}>, Approvals>
  >
} = (options: HarnessOptions<ReadonlyArray<Tool.Any>> | (CommonOptions & { readonly toolset: object })) => {
  const sealed: unknown =
    options.toolset === undefined
      ? Toolset.make(options.tools ?? [], { middleware: DefaultStack.make(options.stack ?? {}) })
      : "call" in options.toolset
        ? Effect.succeed(options.toolset)
        : options.toolset
  const approvals =
    options.approvals ??
    (options.decide === undefined
      ? Approvals.layer({ policy: options.policy ?? "allow" })
      : Approvals.layerDecide(options.decide))
  const live = Runtime.layer.pipe(
    Layer.provide(Tools.layerEffect(sealed as Sealed)),
    Layer.provide(ClientTools.layer()),
    Layer.provideMerge(approvals)
  )
  // A model outlives the runtimes that ask it.
  const models = Layer.unwrapEffect(
    Effect.map("stream" in options.model ? Effect.succeed(options.model) : Scripted.make(options.model), (model) =>
      Models.layerOf({ scripted: model })
    )
  )
  return Harness.layer(live).pipe(
    Layer.provide(models),
    Layer.provideMerge(options.store ?? MemorySessionStore.layer),
    Layer.provide(Layer.succeed(RuntimeOptions, { ...defaults, ...quiet, ...options.settings })),
    Layer.provideMerge(options.randomIds === true ? Layer.empty : Ids.layerSequential)
  ) as never
}

/** Drops the runtime as the death of its process would, and starts another over the same store; open the sessions again. */
export const restart = (): Effect.Effect<void, never, Harness.Harness> =>
  Effect.flatMap(Harness.Harness, (harness) => harness.restart)

type Waiting = LogError | SessionClosed

/** A session under test: a handle, and what a test waits for. */
export interface TestSession extends Omit<SessionHandle, "events" | "approve" | "deny"> {
  readonly send: (command: Command) => Effect.Effect<void>
  /** Submits a prompt and gives what happened until its task ended; it fails where the session is closed before. */
  readonly run: (prompt: string, task?: string) => Effect.Effect<ReadonlyArray<Envelope>, RequestError | Waiting>
  /** The first event that matches, past or future. */
  readonly awaitEvent: <E extends Event>(matches: (event: Event) => event is E) => Effect.Effect<E, Waiting>
  /** The next event of the kind, past or future, behind the one that was awaited last. */
  readonly awaitTag: <Tag extends EventTag>(tag: Tag) => Effect.Effect<Extract<Event, { _tag: Tag }>, Waiting>
  /** Waits until the task has ended; one that waits for a decision does not where the session is closed. */
  readonly awaitEnd: (task: string) => Effect.Effect<Event, Waiting>
  /** Approves the request that is open, or the next one, and gives it: it waits for one also where the task has ended. */
  readonly approve: (
    options?: Parameters<SessionHandle["approve"]>[1]
  ) => Effect.Effect<ApprovalRequest, RequestError | Waiting>
  /** The same for a denial. */
  readonly deny: (
    options?: Parameters<SessionHandle["deny"]>[1]
  ) => Effect.Effect<ApprovalRequest, RequestError | Waiting>
  /** Everything durable so far. */
  readonly recorded: Effect.Effect<ReadonlyArray<Envelope>, LogError>
}

/** The open requests. */
const openRequests = (events: ReadonlyArray<Envelope>): ReadonlyArray<ApprovalRequest> => {
  const open = new Map<string, ApprovalRequest>()
  for (const { event } of events) {
    if (event._tag === "ApprovalRequested") open.set(event.request.id, event.request)
    else if (event._tag === "ApprovalResolved") open.delete(event.approvalId)
  }
  return [...open.values()]
}

/** Opens a session as any frontend does, and watches it by its events alone. */
export const session = (id = "session_1"): Effect.Effect<TestSession, RequestError, Runtime> =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const handle = yield* Effect.scoped(runtime.session({ id, create: { project: "test" } }))
    const events = (from: number, follow: boolean) =>
      runtime
        .subscribe(id, { from, follow })
        .pipe(
          Stream.catchAll((error): Stream.Stream<never, LogError> =>
            error._tag === "SessionNotFound" ? Stream.die(error) : Stream.fail(error)
          )
        )
    /** The events of a session end with its runtime. */
    const first = <A>(from: number, pick: (envelope: Envelope) => Option.Option<A>) =>
      events(from, true).pipe(
        Stream.filterMap(pick),
        Stream.runHead,
        Effect.flatMap(Effect.mapError(() => new SessionClosed({ session: id })))
      )
    // By the runtime that lives then.
    const recorded = Effect.suspend(() => Effect.map(Stream.runCollect(events(1, false)), Chunk.toReadonlyArray))
    const awaited = new Map<string, number>()
    const decided = new Set<string>()
    const isOpen = ({ id }: ApprovalRequest) => !decided.has(id)
    const request = Effect.gen(function* () {
      const past = yield* recorded
      const found =
        openRequests(past).find(isOpen) ??
        (yield* first((past.at(-1)?.seq ?? 0) + 1, ({ event }) =>
          event._tag === "ApprovalRequested" && isOpen(event.request) ? Option.some(event.request) : Option.none()
        ))
      decided.add(found.id)
      return found
    })
    return {
      ...handle,
      send: (command) => Effect.orDie(runtime.send(command)),
      awaitEvent: <E extends Event>(matches: (event: Event) => event is E) =>
        first(1, ({ event }): Option.Option<E> => (matches(event) ? Option.some(event) : Option.none())),
      awaitTag: <Tag extends EventTag>(tag: Tag) =>
        Effect.map(
          first((awaited.get(tag) ?? 0) + 1, (envelope) =>
            envelope.event._tag === tag && envelope.transient !== true ? Option.some(envelope) : Option.none()
          ),
          ({ event, seq }) => {
            awaited.set(tag, seq)
            return event as Extract<Event, { _tag: Tag }>
          }
        ),
      awaitEnd: (task) =>
        first(1, ({ event, task: of }) => (of === task && isTerminal(event) ? Option.some(event) : Option.none())),
      approve: (options) => Effect.tap(request, (found) => handle.approve(found, options)),
      deny: (options) => Effect.tap(request, (found) => handle.deny(found, options)),
      recorded,
      run: (prompt, name) =>
        Effect.gen(function* () {
          const head = (yield* recorded).length
          const { id: task } = yield* handle.submit(prompt, name === undefined ? {} : { task: name })
          const isEnd = (envelope: Envelope) => envelope.task === task && isTerminal(envelope.event)
          const seen = yield* Stream.runCollect(Stream.takeUntil(events(head + 1, true), isEnd))
          if (!Option.exists(Chunk.last(seen), isEnd)) return yield* new SessionClosed({ session: id, task })
          return Chunk.toReadonlyArray(seen)
        })
    }
  })
