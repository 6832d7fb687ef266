import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { macrotask } from "../../system/macrotask.ts"
import { definition, sha256 } from "../../approval/Digest.ts"
import { Host } from "../../host/Host.ts"
import type { Project, ProjectFailure } from "../../host/Project.ts"
import { Redactor } from "../../redaction/Redactor.ts"
import { CancelTask } from "../../runtime/Command.ts"
import { type Event, isTerminal } from "../../runtime/Event.ts"
import type { Place } from "../../runtime/Projects.ts"
import { Runtime } from "../../runtime/Runtime.ts"
import { DecideApproval } from "../../runtime/Command.ts"
import type { SessionHandle } from "../../runtime/SessionHandle.ts"
import { SessionStore } from "../../runtime/SessionStore.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"
import { Ids } from "../../tool/Ids.ts"
import type { Spill } from "../../tool/Spill.ts"
import { trusted } from "../../tool/ToolEvent.ts"
import { type CallResult, textResult } from "../ServerResult.ts"
import type { ServerNews } from "../Servers.ts"
import { bound } from "./bound.ts"
import * as Earlier from "./Earlier.ts"
import type { Exchange } from "./Exchange.ts"
import type { Left } from "./Left.ts"
import * as Running from "./Running.ts"
import * as Talk from "./Talk.ts"

/** A call cannot be made. */
export class CallRefused extends Schema.TaggedError<CallRefused>()("CallRefused", {
  tool: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.tool} was not called: ${this.reason}`
  }
}

/** How somebody has answered a request. */
export interface Answer {
  readonly decision: "approve" | "deny"
  readonly scope?: "once" | "session"
}

/** A call that a client makes. */
export interface Wanted {
  readonly tool: string
  readonly parameters: unknown
  /** Who makes it, as the audit names them. */
  readonly by: string
  /** The call that its client comes back to, if it says so. */
  readonly task?: string | undefined
  /** Hears what its server says. */
  readonly listener: Talk.Listener
}

/** The calls of clients, each a task of a session behind the gate. */
export interface Gateway {
  /** The project as it is now: what the user approves meanwhile counts. */
  readonly project: Effect.Effect<Project, ProjectFailure>
  /** Tells of what changes for clients, until the returned function is called. */
  readonly follow: (hear: (news: ServerNews) => void) => () => void
  /**
   * What a call is known by: its tool with its definition, its parameters, and who makes it. Equal calls of which nobody
   * waits for the first are one call.
   */
  readonly keyOf: (wanted: Pick<Wanted, "tool" | "parameters" | "by">) => Effect.Effect<string, CallRefused>
  /** Begins a call, or takes up the equal one that was left, by this gateway or by one that is gone. */
  readonly begin: (key: string, wanted: Wanted) => Effect.Effect<Running.Running, CallRefused>
  /** Its client is told to come back for it. */
  readonly leave: (running: Running.Running) => Effect.Effect<void>
  /** Its client has what it came to. */
  readonly settled: (running: Running.Running) => Effect.Effect<void>
  /** Its client no longer waits: it is withdrawn, unless the gateway stops with it. */
  readonly dropped: (running: Running.Running) => Effect.Effect<void>
  /** From here on clients leave because the gateway stops, not because they do not want their calls any more. */
  readonly stopping: Effect.Effect<void>
  /** Answers the request of a call, for the person at the client. */
  readonly decide: (
    running: Running.Running,
    by: string,
    request: ApprovalRequest,
    answer: Answer
  ) => Effect.Effect<void>
  /**
   * Whether a call has its answer: it has ended, or its server has given a result that nothing may change any more. What is
   * stored of the end may follow; after a crash in between the outcome counts as unknown.
   */
  readonly isAnswered: (running: Running.Running) => boolean
  /** What a client gets of a call that is answered. */
  readonly resultOf: (running: Running.Running) => Effect.Effect<CallResult>
}

export interface GatewayOptions {
  /** The calls that clients were told to come back for. */
  readonly left: Left
  /** Where the client works. */
  readonly directory: string
  readonly exchange: Exchange["Type"]
  /** The user has hooks, which may refuse a result. */
  readonly hooked: boolean
  /** Bytes of a result. */
  readonly longest: number
  /** Keeps the whole of a result that is longer. */
  readonly spill: Spill["Type"]
}

/** The beginning of the ids of sessions that a gateway makes; only those are taken up again by one. */
const prefix = "mcp"

/** Calls at a time, those that wait for a person included. */
const mostCalls = 64

/** Those and the ones that are answered, whose ends are not stored yet. */
const mostKept = 1024

/** The project that calls are made in, until its files say that it is another. */
interface Held {
  readonly place: Place
  readonly stamp: string
  readonly project: Project
  readonly own: Scope.CloseableScope
}

export const make = ({
  directory,
  exchange,
  hooked,
  left,
  longest,
  spill
}: GatewayOptions): Effect.Effect<Gateway, never, Host | Runtime | SessionStore | Scope.Scope> =>
  Effect.gen(function* () {
    const host = yield* Host
    const runtime = yield* Runtime
    const store = yield* SessionStore
    const ids = yield* Ids
    const redactor = yield* Redactor
    const scope = yield* Effect.scope
    const bounded = ({ session }: Running.Running, result: CallResult) => bound(result, { longest, session, spill })
    const calls = new Map<string, Running.Running>()
    const followers = new Set<(news: ServerNews) => void>()
    const announce = (news: ServerNews) => {
      for (const hear of followers) hear(news)
    }
    let free: Array<{ readonly by: string; readonly handle: SessionHandle }> = []
    let held: Held | undefined
    const one = yield* Effect.makeSemaphore(1)

    /** What is held, where that is of this place and stamp. */
    const heldAs = ({ directory, project }: Place, stamp: string): Project | undefined =>
      held?.stamp === stamp && held.place.directory === directory && held.place.project === project
        ? held.project
        : undefined
    /** Takes the project anew, in the place of the one that it was before. */
    const taken = (place: Place, stamp: string) =>
      Effect.gen(function* () {
        const before = held
        const other = heldAs(place, stamp)
        if (other !== undefined) return other
        const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
        const found = yield* Effect.onError(Scope.extend(host.project(place), own), () => Scope.close(own, Exit.void))
        held = { place, stamp, project: found, own }
        if (before !== undefined) yield* Scope.close(before.own, Exit.void)
        if (found === before?.project) return found
        // Sessions have the tools that there were when they began.
        free = []
        yield* Scope.addFinalizer(own, Effect.sync(found.servers.follow(announce)))
        if (before !== undefined) for (const kind of ["tools", "prompts", "resources"] as const) announce({ kind })
        return found
      })
    const project = Effect.flatMap(host.locate(directory), (place) =>
      Effect.flatMap(host.stamp(place), (stamp) => {
        const found = heldAs(place, stamp)
        return found === undefined
          ? Effect.uninterruptible(one.withPermits(1)(taken(place, stamp)))
          : Effect.succeed(found)
      })
    )
    const refused = (tool: string) => (error: { readonly message: string }) =>
      new CallRefused({ tool, reason: error.message })

    const earlier = yield* Earlier.make(store, `${prefix}_`)
    let isStopping = false

    const forget = ({ task }: Running.Running) => {
      calls.delete(task)
      exchange.close(task)
    }
    /** Keeps a call for its client, with what it came to if it is answered. */
    const kept = (running: Running.Running): Effect.Effect<void> => {
      const { key, session, task } = running
      return isAnswered(running) || running.kept !== undefined
        ? Effect.flatMap(resultOf(running), (result) => left.keep(key, { session, task, result }))
        : left.keep(key, { session, task })
    }
    /** Keeps what a call that was left comes to, before its end is stored: of the result, the log has the text alone. */
    const keptThen = (running: Running.Running): Effect.Effect<void> =>
      Effect.zipRight(
        Running.until(running.talk, () => running.isOver() || isAnswered(running) || undefined),
        Effect.suspend(() => (running.detached && isAnswered(running) ? kept(running) : Effect.void))
      )
    const started = (key: string, by: string, handle: SessionHandle, submitted: Running.Task, talk: Talk.Talk) =>
      Effect.gen(function* () {
        const { running, watch } = Running.follow(submitted, { key, session: handle.id, talk })
        calls.set(running.task, running)
        const made = held?.project
        yield* Effect.forkIn(
          Effect.zipRight(
            watch,
            Effect.sync(() => {
              if (held?.project === made) free.push({ by, handle })
              // One that nobody waits for stays until an equal call comes.
              if (!running.detached) forget(running)
            })
          ),
          scope
        )
        return running
      })

    /** Takes up a call of a gateway that is gone: it waits for an answer, has got one since, or has ended. */
    const takenUp = (key: string, { by, listener }: Wanted, call: Earlier.EarlierCall) =>
      Effect.gen(function* () {
        const { session, task } = call
        const handle = yield* runtime.session({ id: session, resume: true, by })
        const talk = Talk.make(by)
        talk.attach(listener)
        const goesOn = handle.goesOn === task || (yield* store.unfinished(session)).tasks.includes(task)
        if (!goesOn) {
          const result = yield* Earlier.resultOf(store, call)
          return result && Running.ended(task, { key, session, talk }, result)
        }
        exchange.open(task, talk)
        const events = Stream.takeUntil(
          Stream.filter(handle.events({ from: 1, transient: false }), (envelope) => envelope.task === task),
          ({ event }) => isTerminal(event)
        )
        const submitted = {
          id: task,
          follow: (hear: (event: Event) => void) =>
            Stream.runForEach(events, ({ event }) => Effect.sync(() => hear(event))),
          cancel: Effect.ignore(runtime.request(new CancelTask({ session, task, by }, trusted)))
        }
        return yield* started(key, by, handle, submitted, talk)
      })
    /** Takes up a call that its client was told to come back for; where that cannot be done, nothing is run in its place. */
    const promised = (key: string, wanted: Wanted) =>
      Effect.gen(function* () {
        for (const { pid: _, ...call } of yield* left.find(key)) {
          const { result, session, task } = call
          if (calls.has(task)) continue
          // From here on it is this gateway's.
          yield* left.keep(key, call)
          if (result !== undefined) {
            const talk = Talk.make(wanted.by)
            return Running.ended(task, { key, session, talk }, result as CallResult)
          }
          const found = yield* takenUp(key, wanted, { session, task }).pipe(
            Effect.catchIf(
              (error) => error._tag === "RequestRejected" && error.error === "SessionNotFound",
              () => Effect.succeed(undefined)
            ),
            Effect.mapError(refused(wanted.tool))
          )
          if (found !== undefined) return found
          yield* left.forget(key, task)
        }
        return undefined
      })
    /** Takes up a call that a gateway was killed with. */
    const resumed = (key: string, wanted: Wanted) =>
      Effect.gen(function* () {
        const { project } = yield* host.locate(directory)
        const found = yield* earlier({ ...wanted, project })
        if (found === undefined || calls.has(found.task)) return undefined
        const running = yield* takenUp(key, wanted, found)
        // Its client may have been told to come back for it: it is this gateway's from here on.
        if (running !== undefined) yield* left.keep(key, found)
        return running
      }).pipe(Effect.orElseSucceed(() => undefined))

    /** The call that is meant: the one that its client names, or an equal one that was left. */
    const known = (key: string, task: string | undefined): Running.Running | undefined => {
      const named = task === undefined ? undefined : calls.get(task)
      if (named?.detached === true && named.key === key) return named
      return [...calls.values()].find((one) => one.detached && one.key === key)
    }
    const begin = Effect.fnUntraced(function* (key: string, wanted: Wanted) {
      const { by, listener, parameters, tool } = wanted
      const own = known(key, wanted.task)
      if (own !== undefined) {
        own.detached = false
        own.talk.attach(listener)
        if (own.isOver()) forget(own)
        return own
      }
      const before = (yield* promised(key, wanted)) ?? (yield* resumed(key, wanted))
      if (before !== undefined) return before
      const busy = [...calls.values()].filter((one) => !isAnswered(one))
      for (const one of calls.values()) {
        if (calls.size < mostCalls) break
        if (one.detached && one.isOver()) forget(one)
      }
      if (busy.length >= mostCalls || calls.size >= mostKept) {
        return yield* new CallRefused({ tool, reason: `${mostCalls} calls are running or wait for an answer` })
      }
      const idle = free.find((one) => one.by === by)
      if (idle !== undefined) free.splice(free.indexOf(idle), 1)
      const handle =
        idle?.handle ??
        (yield* Effect.mapError(
          Effect.provideService(
            Effect.flatMap(ids.next(prefix), (id) => runtime.session({ id, create: { project: directory }, by })),
            Scope.Scope,
            scope
          ),
          refused(tool)
        ))
      const task = yield* ids.next("task")
      const talk = Talk.make(by)
      talk.attach(listener)
      exchange.open(task, talk)
      const submitted = yield* handle.invoke(tool, parameters, { task, apart: true }).pipe(
        Effect.mapError(refused(tool)),
        Effect.tapError(() => Effect.sync(() => exchange.close(task)))
      )
      return yield* started(key, by, handle, submitted, talk)
    })

    const results = new WeakMap<Running.Running, CallResult>()
    const resultOf = (running: Running.Running): Effect.Effect<CallResult> =>
      Effect.suspend(() => {
        const known = running.kept ?? results.get(running)
        if (known !== undefined) return Effect.succeed(known)
        const end = running.end()
        if (end === undefined && !isAnswered(running))
          return Effect.succeed(textResult("The gateway stopped before the call had ended.", true))
        if (end?._tag === "TaskInterrupted") return Effect.succeed(textResult("The call was interrupted.", true))
        if (end?._tag === "TaskFailed") {
          const failed = textResult(end.message, true)
          if (end.kind !== "crash") return Effect.succeed(failed)
          return Effect.map(
            Effect.orElseSucceed(Earlier.resultOf(store, running), () => undefined),
            (logged) => logged ?? failed
          )
        }
        const given = running.talk.given()
        if (given === undefined) return Effect.succeed(textResult(end?.text ?? "", false))
        return Effect.tap(bounded(running, redactor.json(given) as CallResult), (result) =>
          Effect.sync(() => results.set(running, result))
        )
      })

    const isAnswered = (running: Running.Running): boolean => {
      if (running.isOver()) return running.end() !== undefined
      const isFinal = !hooked && (held?.project.config.settings.hooks ?? []).length === 0
      return isFinal && running.talk.given() !== undefined
    }

    return {
      project,
      follow: (hear) => {
        followers.add(hear)
        return () => void followers.delete(hear)
      },
      keyOf: ({ by, parameters, tool }) =>
        project.pipe(
          Effect.mapError(refused(tool)),
          Effect.flatMap(({ tools }) => {
            const found = tools.tools.get(tool)
            return found === undefined || found.mode === "llm"
              ? new CallRefused({ tool, reason: "there is no tool of that name" })
              : Effect.succeed(
                  sha256({ project: held?.place.project, tool, definition: definition(found), parameters, by })
                )
          })
        ),
      begin: (key, wanted) => Effect.provideService(begin(key, wanted), Scope.Scope, scope),
      decide: (running, by, request, { decision, scope: how = "once" }) =>
        Effect.ignore(
          runtime.request(
            new DecideApproval(
              {
                session: running.session,
                by,
                approvalId: request.id,
                digest: request.digest,
                decision,
                ...(decision === "approve" ? { scope: how } : {})
              },
              trusted
            )
          )
        ),
      isAnswered,
      leave: (running) =>
        Effect.suspend(() => {
          running.detached = true
          return Effect.zipRight(kept(running), Effect.forkIn(keptThen(running), scope))
        }),
      settled: ({ key, task }) =>
        Effect.suspend(() => {
          if (!left.has(task)) return Effect.void
          left.conclude(task)
          // The result leaves first: who has it twice is better off than who has it never.
          return Effect.asVoid(Effect.forkIn(Effect.zipRight(macrotask, left.forget(key, task)), scope))
        }),
      dropped: (running) =>
        Effect.suspend(() => {
          const { key, task } = running
          const goesOn = isStopping && (left.has(task) || running.open() === undefined)
          return goesOn ? kept(running) : Effect.zipRight(left.forget(key, task), running.cancel)
        }),
      stopping: Effect.sync(() => {
        isStopping = true
      }),
      resultOf
    }
  })
