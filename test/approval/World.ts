import { Clock, Context, Effect, ExecutionStrategy, Exit, Layer, Queue, Scope, Stream, TestClock } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { type CallError, Tools } from "../../src/agent/Tools.ts"
import { Approvals, type ApprovalsOptions } from "../../src/approval/Approvals.ts"
import { Audit } from "../../src/audit/Audit.ts"
import { RuleStore } from "../../src/approval/RuleStore.ts"
import { Disk } from "../../src/approval/Disk.ts"
import { Slept } from "../../src/system/DeadlineClock.ts"
import { FileHash } from "../../src/approval/FileHash.ts"
import { Database } from "../../src/database/Database.ts"
import { backoff } from "../../src/middleware/retry.ts"
import type { ModelRequest, ModelService } from "../../src/model/Model.ts"
import type { ModelPart } from "../../src/model/ModelPart.ts"
import { noUsage } from "../../src/model/ModelPart.ts"
import { Models } from "../../src/model/Models.ts"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import type { Event } from "../../src/runtime/Event.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { RuntimeOptions, defaults } from "../../src/runtime/RuntimeOptions.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import { Before, pre } from "../../src/tool/Hook.ts"
import type * as Tool from "../../src/tool/Tool.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { mortal } from "../support/mortal.ts"
import { Machine } from "./Machine.ts"
import { mockTools } from "./MockTools.ts"

/** What the model says next. */
export interface Turn {
  readonly say?: string
  readonly calls?: ReadonlyArray<{ readonly id: string; readonly name: string; readonly arguments: string }>
}

const partsOf = ({ calls = [], say }: Turn): ReadonlyArray<ModelPart> => [
  ...(say === undefined ? [] : [{ _tag: "TextDelta" as const, text: say }]),
  ...calls.map((call) => ({ _tag: "FunctionCalled" as const, ...call })),
  { _tag: "Finished", reason: calls.length > 0 ? "tool_calls" : "stop", usage: noUsage, model: "played" }
]

const promptOf = ({ messages }: ModelRequest): string => {
  const last = messages.findLast(({ message }) => message.role === "user")?.message
  return last?.role === "user" ? last.content : ""
}

/** One start of the runtime. */
export interface Boot {
  readonly runtime: Runtime["Type"]
  readonly approvals: Approvals["Type"]
  readonly audit: Audit["Type"]
  readonly rules: RuleStore["Type"]
  readonly tools: Tools["Type"]
  readonly turns: Queue.Queue<Turn>
  /** The turns of tasks whose last prompt is this one; all others take theirs from `turns`. */
  readonly turnsOf: (prompt: string) => Effect.Effect<Queue.Queue<Turn>>
  readonly scope: Scope.CloseableScope
}

export interface WorldOptions extends Partial<
  Pick<ApprovalsOptions, "policy" | "always" | "danger" | "timeout" | "maxPending">
> {
  readonly retry?: boolean
  /** Whether a hook of the user's rewrites what the machine says. */
  readonly hooks?: boolean
  readonly tools?: (machine: Machine) => ReadonlyArray<Tool.Any>
}

const sealed = (machine: Machine, tools: ReadonlyArray<Tool.Any>, { hooks = false, retry = false }: WorldOptions) => {
  const policy = backoff({ maxAttempts: 3, initialDelay: 0, multiplier: 1, maxDelay: 0, jitter: false })
  const rewrite = pre("*", ({ name }) =>
    Effect.sync(() => {
      const parameters = machine.rewritten.get(name)
      return parameters === undefined ? Before.Continue() : Before.Replace({ parameters })
    })
  )
  const stack = DefaultStack.make({
    ...(hooks ? { hooks: [rewrite] } : {}),
    ...(retry ? { retry: policy } : {})
  })
  const toolset: unknown = Toolset.make(tools, { middleware: stack })
  return Effect.orDie(toolset as Effect.Effect<Toolset.Toolset<CallError, Approvals>, Toolset.ToolsetInvalid>)
}

/** A clock whose wall time can jump while its monotonic time and the timers of the test clock stand still. */
class JumpingClock implements Clock.Clock {
  readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
  offset = 0
  /** Milliseconds that the machine has slept. */
  slept = 0
  private readonly inner: Clock.Clock
  constructor(inner: Clock.Clock) {
    this.inner = inner
  }
  unsafeCurrentTimeMillis() {
    return this.inner.unsafeCurrentTimeMillis() + this.offset
  }
  unsafeCurrentTimeNanos() {
    return this.inner.unsafeCurrentTimeNanos()
  }
  get currentTimeMillis() {
    return Effect.map(this.inner.currentTimeMillis, (now) => now + this.offset)
  }
  get currentTimeNanos() {
    return Effect.sync(() => this.unsafeCurrentTimeNanos())
  }
  sleep(duration: Parameters<Clock.Clock["sleep"]>[0]) {
    return this.inner.sleep(duration)
  }
}

export type World = Effect.Effect.Success<ReturnType<typeof make>>

/** A machine, a store, an audit on the disk, and a runtime that can be stopped, killed and started again on them. */
export const make = (options: WorldOptions = {}) =>
  Effect.gen(function* () {
    const machine = new Machine()
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-approval-"))),
      (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true, maxRetries: 5 }))
    )
    const outer = yield* Effect.scope
    const clock = new JumpingClock(yield* Effect.clock)
    const file = path.join(directory, "tollgate.db")
    const database = Context.get(yield* Effect.orDie(Layer.build(Database.layer(file))), Database)
    const kept = Context.get(yield* Layer.build(MemorySessionStore.layer), SessionStore)
    const rules = Context.get(yield* Layer.build(RuleStore.layerMemory), RuleStore)
    const given: ReadonlyArray<Tool.Any> = options.tools?.(machine) ?? mockTools(machine)
    let toolset = yield* sealed(machine, given, options)
    /** Set to hold the runtime between a stored decision and the start of its call. */
    const hold = { started: false }
    const released = Effect.unsafeMakeLatch(false)
    const { born, die } = yield* mortal(kept)
    const store: SessionStore["Type"] = {
      ...kept,
      append: (lease, events) => {
        const index = hold.started ? events.findIndex(({ event }) => event._tag === "ToolCallStarted") : -1
        return index === -1
          ? kept.append(lease, events)
          : kept
              .append(lease, events.slice(0, index))
              .pipe(Effect.zipRight(released.await), Effect.zipRight(kept.append(lease, events.slice(index))))
      }
    }

    const toolsLayer = Layer.effect(
      Tools,
      Effect.map(Effect.context<Approvals | Audit>(), (context) => ({
        get tools() {
          return toolset.tools
        },
        call: (request) => Effect.provide(toolset.call(request), context),
        foresee: (request, foresee) => Effect.provide(toolset.foresee(request, foresee), context),
        functions: () => []
      }))
    )

    const start = Effect.gen(function* () {
      const scope = yield* Scope.fork(outer, ExecutionStrategy.sequential)
      const { open } = yield* born
      const turns = yield* Queue.unbounded<Turn>()
      const prompted = new Map<string, Queue.Queue<Turn>>()
      const turnsOf = (prompt: string) =>
        Effect.suspend(() => {
          const known = prompted.get(prompt)
          return known === undefined
            ? Effect.tap(Queue.unbounded<Turn>(), (made) => void prompted.set(prompt, made))
            : Effect.succeed(known)
        })
      const model: ModelService = {
        name: "played",
        stream: (request) =>
          Stream.unwrap(
            Effect.map(Queue.take(prompted.get(promptOf(request)) ?? turns), (turn) =>
              Stream.fromIterable(partsOf(turn))
            )
          )
      }
      const layer = Runtime.layer.pipe(
        Layer.provideMerge(toolsLayer),
        Layer.provide(Models.layerOf({ scripted: model })),
        Layer.provideMerge(
          Approvals.layerAudited({
            policy: options.policy ?? "ask",
            root: "/w",
            always: options.always ?? false,
            danger: options.danger ?? false,
            ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
            ...(options.maxPending === undefined ? {} : { maxPending: options.maxPending })
          })
        ),
        Layer.provideMerge(Audit.layerSql(path.join(directory, "keys"))),
        Layer.provideMerge(Layer.succeed(RuleStore, rules)),
        Layer.provide(Layer.succeed(SessionStore, { ...store, open })),
        Layer.provide(Layer.succeed(Database, database)),
        Layer.provide(Layer.succeed(Slept, { millis: Effect.sync(() => clock.slept) })),
        Layer.provide(Layer.succeed(Disk, { resolve: (file) => machine.resolve(file), isFile: () => false })),
        Layer.provide(
          Layer.succeed(FileHash, {
            hash: (target) => Effect.sync(() => machine.hash(target)),
            text: (target) => Effect.sync(() => machine.files.get(machine.resolve(target)) ?? null)
          })
        ),
        Layer.provide(Layer.succeed(RuntimeOptions, { ...defaults, systemPrompt: "", parallelCalls: 200 }))
      )
      const context = yield* Effect.orDie(Layer.buildWithScope(layer, scope))
      const boot: Boot = {
        runtime: Context.get(context, Runtime),
        approvals: Context.get(context, Approvals),
        audit: Context.get(context, Audit),
        rules: Context.get(context, RuleStore),
        tools: Context.get(context, Tools),
        turns,
        turnsOf,
        scope
      }
      return boot
    }).pipe(Effect.withClock(clock))

    const current = { boot: yield* start }

    const events = (session: string) =>
      current.boot.runtime.subscribe(session, { from: 1, transient: false }).pipe(Stream.orDie)
    return {
      machine,
      clock,
      hold,
      directory,
      database: file,
      store: kept,
      get boot() {
        return current.boot
      },
      /** Waits for the first event that fits, past or future. */
      awaitEvent: (session: string, fits: (event: Event, envelope: Envelope) => boolean) =>
        Stream.runHead(Stream.filter(events(session), (envelope) => fits(envelope.event, envelope))).pipe(
          Effect.flatMap((found) => found),
          Effect.orDie
        ),
      recorded: (session: string) =>
        Effect.map(
          Stream.runCollect(
            Stream.orDie(current.boot.runtime.subscribe(session, { from: 1, transient: false, follow: false }))
          ),
          (chunk): ReadonlyArray<Envelope> => [...chunk]
        ),
      auditRows: Effect.suspend(() =>
        Effect.map(Effect.orDie(Stream.runCollect(current.boot.audit.entries)), (rows) => [...rows])
      ),
      swapTools: (tools: ReadonlyArray<Tool.Any>) =>
        Effect.map(sealed(machine, tools, options), (next) => {
          toolset = next
        }),
      get tools() {
        return [...toolset.tools.values()]
      },
      /** Lets the time of a request run out. */
      tick: TestClock.adjust("30 seconds"),
      /** Whether the resolution of a request is in the store. */
      isResolved: (session: string, approvalId: string) =>
        Effect.map(Effect.orDie(kept.read(session, 1, 10_000)), (envelopes) =>
          envelopes.some(({ event }) => event._tag === "ApprovalResolved" && event.approvalId === approvalId)
        ),
      /** Lets a held runtime go on, whose session is another's by then. */
      release: released.open,
      /** Ends the runtime in good order. */
      shutdown: Effect.suspend(() => Scope.close(current.boot.scope, Exit.void)),
      /** Starts another one; one that was not shut down has died, and is fenced off where it writes all the same. */
      restart: Effect.suspend(() => {
        hold.started = false
        return Effect.map(Effect.zipRight(die, start), (boot) => {
          current.boot = boot
        })
      }),
      /** Lets others have the sessions of the runtime that runs. */
      die
    }
  })
