import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { definition, sha256 } from "../../approval/Digest.ts"
import type { Host } from "../../host/Host.ts"
import type { Project, ProjectFailure } from "../../host/Project.ts"
import { Redactor } from "../../redaction/Redactor.ts"
import { DecideApproval } from "../../runtime/Command.ts"
import { Runtime } from "../../runtime/Runtime.ts"
import type { SessionHandle } from "../../runtime/SessionHandle.ts"
import { SessionStore } from "../../runtime/SessionStore.ts"
import { macrotask } from "../../system/macrotask.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"
import { Ids } from "../../tool/Ids.ts"
import type { Spill } from "../../tool/Spill.ts"
import { trusted } from "../../tool/ToolEvent.ts"
import type { ServerNews } from "../Servers.ts"
import type { Exchange } from "./Exchange.ts"
import type { Left } from "./Left.ts"
import * as IdleSessions from "./IdleSessions.ts"
import * as ProjectHeld from "./ProjectHeld.ts"
import { redacted } from "./redacted.ts"
import * as Results from "./Results.ts"
import * as Resumption from "./Resumption.ts"
import * as Running from "./Running.ts"
import { prefix, submitting } from "./submitting.ts"
import * as Talk from "./Talk.ts"
import { CallRefused, refused, type Wanted } from "./Wanted.ts"

/** How somebody has answered a request. */
export interface Answer {
  readonly decision: "approve" | "deny"
  readonly scope?: "once" | "session"
}

/** The calls of clients, each a task of a session behind the gate. */
export interface Gateway extends Results.Results {
  /** The project as it is now: what the user approves meanwhile counts. */
  readonly project: Effect.Effect<Project, ProjectFailure>
  /** Tells of what changes for clients, until the returned function is called. */
  readonly follow: (hear: (news: ServerNews) => void) => () => void
  /**
   * What a call is known by: its tool with its definition, its parameters, and who makes it. Equal calls of which nobody
   * waits for the first are one call.
   */
  readonly keyOf: (wanted: Pick<Wanted, "tool" | "parameters" | "by">) => Effect.Effect<string, CallRefused>
  /** Whether somebody waits for such a call that has no answer yet. */
  readonly isHeard: (key: string) => boolean
  /** Begins a call, or takes up the equal one that was left, by this gateway or by one that is gone. */
  readonly begin: (key: string, wanted: Wanted) => Effect.Effect<Running.Running, CallRefused>
  /** Its client is told to come back for it. */
  readonly leave: (running: Running.Running) => Effect.Effect<void>
  /** Its client has what it came to. */
  readonly settled: (running: Running.Running) => Effect.Effect<void>
  /**
   * Its client no longer waits: where nothing has run yet it is withdrawn, unless the gateway stops with it. What runs is told to stop,
   * and what came of it is for the equal call that comes next, which is not run; what only reads may run again.
   */
  readonly dropped: (running: Running.Running, tool: string) => Effect.Effect<void>
  /** Its client is cut off from it, and may call again: it goes on for the equal call that comes next, unless it only reads. */
  readonly lost: (running: Running.Running, tool: string) => Effect.Effect<void>
  /**
   * From here on clients leave because the gateway stops, not because they do not want their calls any more; what is running
   * is kept for them. Done at once.
   */
  readonly stopping: Effect.Effect<void>
  /** Answers the request of a call, for the person at the client. */
  readonly decide: (
    running: Running.Running,
    by: string,
    request: ApprovalRequest,
    answer: Answer
  ) => Effect.Effect<void>
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

/** Calls at a time, those that wait for a person included. */
const mostCalls = 64

/** Those and the ones that are answered, whose ends are not stored yet. */
const mostKept = 1024

export const make = ({
  directory,
  exchange,
  hooked,
  left,
  longest,
  spill
}: GatewayOptions): Effect.Effect<Gateway, never, Host | Runtime | SessionStore | Scope.Scope> =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const store = yield* SessionStore
    const ids = yield* Ids
    const redactor = yield* Redactor
    const scope = yield* Effect.scope
    const calls = new Map<string, Running.Running>()
    const held = yield* ProjectHeld.make(directory)
    const projectHeld = () => held.last()?.project
    const hasHooks = () => hooked || (projectHeld()?.config.settings.hooks ?? []).length > 0
    const { isAnswered, resultOf } = Results.make({ hasHooks, longest, redactor, spill, store })
    const idle = IdleSessions.make()
    const talkOf = (by: string) => Talk.make(by, redacted(redactor))
    let isStopping = false
    /** Calls that are none yet. */
    let beginning = 0

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
        const { id: session } = handle
        const note = left.note(key, { session, task: submitted.id })
        const { running, watch } = Running.follow(submitted, { key, session, talk }, () => Effect.runSync(note))
        calls.set(running.task, running)
        const project = projectHeld()
        yield* Effect.forkIn(
          Effect.zipRight(
            watch,
            Effect.sync(() => {
              idle.add({ by, handle, project })
              // One that nobody waits for stays until an equal call comes.
              if (!running.detached) forget(running)
            })
          ),
          scope
        )
        return running
      })

    const submitted = submitting({ directory, exchange, idle, projectHeld, runtime, scope, ids, talkOf })
    const { released, resumed } = yield* Resumption.make({
      beginning: `${prefix}_`,
      exchange,
      isHere: (task) => calls.has(task),
      left,
      projectNow: () => held.last()?.place.project,
      runtime,
      started,
      store,
      talkOf
    })

    /** The call that is meant: the one that its client names, or an equal one that was left; one that waits for a person holds up no other. */
    const known = (key: string, task: string | undefined): Running.Running | undefined => {
      const named = task === undefined ? undefined : calls.get(task)
      if (named?.detached === true && named.key === key) return named
      const equal = [...calls.values()].filter((one) => one.detached && one.key === key)
      return equal.find((one) => one.open() === undefined) ?? equal[0]
    }
    const begin = Effect.fnUntraced(function* (key: string, wanted: Wanted) {
      const { by, listener, tool } = wanted
      const own = known(key, wanted.task)
      if (own !== undefined) {
        own.detached = false
        own.talk.attach(listener)
        if (own.cutOff === true) yield* Running.until(own.talk, () => own.isOver() || own.hasBegun() || undefined)
        if (own.isOver()) forget(own)
        if (!Running.isUnrun(own)) return own
        yield* left.forget(key, own.task)
      }
      const before = yield* resumed(key, wanted)
      if (before !== undefined) return before
      const busy = [...calls.values()].filter((one) => !isAnswered(one))
      for (const one of calls.values()) {
        if (calls.size < mostCalls) break
        if (!one.detached || !one.isOver()) continue
        forget(one)
        released(one.task)
      }
      if (busy.length + beginning >= mostCalls || calls.size >= mostKept) {
        return yield* new CallRefused({ tool, reason: `${mostCalls} calls are running or wait for an answer` })
      }
      beginning++
      return yield* Effect.ensuring(
        Effect.flatMap(submitted(wanted), ({ handle, talk, task }) => started(key, by, handle, task, talk)),
        Effect.sync(() => beginning--)
      )
    })
    const withdrawn = ({ cancel, key, task }: Running.Running) => Effect.zipRight(left.forget(key, task), cancel)
    const onlyReads = (tool: string) =>
      Effect.map(Effect.option(held.current), (now) =>
        Option.exists(now, ({ tools }) => tools.tools.get(tool)?.readOnly === true)
      )
    /** From here on an equal call may take it up. */
    const detach = (running: Running.Running): void => {
      running.detached = true
      calls.set(running.task, running)
    }
    const leave = (running: Running.Running) =>
      Effect.suspend(() => {
        detach(running)
        return Effect.zipRight(kept(running), Effect.forkIn(keptThen(running), scope))
      })
    /** Lets an equal call take up one that runs from now on; where none has and it only reads, it is withdrawn. */
    const letGo = (running: Running.Running, tool: string, keep: Effect.Effect<void>) =>
      Effect.suspend(() => {
        detach(running)
        return Effect.flatMap(onlyReads(tool), (isHarmless) => {
          if (!running.detached) return Effect.void
          if (!isHarmless) return keep
          running.detached = false
          if (running.isOver()) forget(running)
          return withdrawn(running)
        })
      })

    return {
      project: held.current,
      follow: held.follow,
      keyOf: ({ by, parameters, tool }) =>
        held.current.pipe(
          Effect.mapError(refused(tool)),
          Effect.flatMap(({ tools }) => {
            const found = tools.tools.get(tool)
            return found === undefined || found.mode === "llm"
              ? new CallRefused({ tool, reason: "there is no tool of that name" })
              : Effect.succeed(
                  sha256({ project: held.last()?.place.project, tool, definition: definition(found), parameters, by })
                )
          })
        ),
      isHeard: (key) => [...calls.values()].some((one) => one.key === key && !one.detached && !isAnswered(one)),
      begin: (key, wanted) => Effect.provideService(begin(key, wanted), Scope.Scope, scope),
      decide: ({ session }, by, { digest, id: approvalId }, { decision, scope: how = "once" }) => {
        if (how === "session") idle.granted(session)
        const held = decision === "approve" ? { scope: how } : {}
        return Effect.ignore(
          runtime.request(new DecideApproval({ session, by, approvalId, digest, decision, ...held }, trusted))
        )
      },
      isAnswered,
      leave,
      settled: ({ key, task }) =>
        Effect.suspend(() => {
          if (!left.knows(task)) return Effect.void
          left.conclude(task)
          // The result leaves first: who has it twice is better off than who has it never.
          return Effect.asVoid(Effect.forkIn(Effect.zipRight(macrotask, left.forget(key, task)), scope))
        }),
      dropped: (running, tool) =>
        Effect.suspend(() => {
          const waits = running.open() !== undefined
          if (isStopping) return waits && !left.has(running.task) ? withdrawn(running) : kept(running)
          if (waits || running.kept !== undefined) return withdrawn(running)
          const cut = Effect.suspend(() => {
            if (isAnswered(running)) return kept(running)
            running.cutOff = true
            return Effect.zipRight(kept(running), running.cancel)
          })
          return letGo(running, tool, cut)
        }),
      lost: (running, tool) =>
        Effect.suspend(() => (running.open() === undefined ? letGo(running, tool, leave(running)) : leave(running))),
      stopping: Effect.suspend(() => {
        isStopping = true
        const cutOff = [...calls.values()].filter(
          (one) => !one.isOver() && !isAnswered(one) && one.open() === undefined && !left.has(one.task)
        )
        return Effect.forEach(cutOff, kept, { discard: true })
      }),
      resultOf
    }
  })
