import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { definition, sha256 } from "../../approval/Digest.ts"
import { Host } from "../../host/Host.ts"
import type { Project, ProjectFailure } from "../../host/Project.ts"
import { Redactor } from "../../redaction/Redactor.ts"
import { CancelTask } from "../../runtime/Command.ts"
import { isTerminal, type TerminalEvent } from "../../runtime/Event.ts"
import { Runtime } from "../../runtime/Runtime.ts"
import { DecideApproval } from "../../runtime/Command.ts"
import type { SessionHandle, Submitted } from "../../runtime/SessionHandle.ts"
import { SessionStore, type WaitingApproval } from "../../runtime/SessionStore.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"
import { Ids } from "../../tool/Ids.ts"
import { trusted } from "../../tool/ToolEvent.ts"
import type { CallResult } from "../Connection.ts"
import type { Results } from "./Results.ts"
import * as Running from "./Running.ts"

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

/** The calls of clients, each a task of a session behind the gate. */
export interface Gateway {
  /** The project as it is now: what the user approves meanwhile counts. */
  readonly project: Effect.Effect<Project, ProjectFailure, Scope.Scope>
  /**
   * What a call is known by: its tool with its definition, its parameters, and who makes it. Equal calls of which nobody
   * waits for the first are one call.
   */
  readonly keyOf: (tool: string, parameters: unknown) => Effect.Effect<string, CallRefused>
  /** Begins a call, or takes up the equal one that was left. */
  readonly begin: (key: string, tool: string, parameters: unknown) => Effect.Effect<Running.Running, CallRefused>
  /** The call of that key, if there is one. */
  readonly find: (key: string) => Running.Running | undefined
  /** Answers the request of a call, for the person at the client. */
  readonly decide: (running: Running.Running, request: ApprovalRequest, answer: Answer) => Effect.Effect<void>
  /** What a client gets of a call that has ended. */
  readonly resultOf: (running: Running.Running, end: TerminalEvent | undefined) => CallResult
}

export interface GatewayOptions {
  /** Where the client works. */
  readonly directory: string
  /** Who makes the calls, as the audit names them. */
  readonly by: string
  readonly results: Results["Type"]
  /** Characters of the text of a result. */
  readonly longest: number
}

/** The beginning of the ids of sessions that a gateway makes; only those are taken up again by one. */
const prefix = "mcp"

/** Calls at a time, those that wait for a person included. */
const mostCalls = 64

const maxWaiting = 1000

const textOf = (text: string, isError: boolean): CallResult => ({
  content: [{ type: "text", text }],
  ...(isError ? { isError } : {})
})

/** Characters that a model would read of a result. */
const lengthOf = ({ content, structuredContent }: CallResult): number =>
  content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0) +
  (structuredContent === undefined ? 0 : JSON.stringify(structuredContent).length)

export const make = ({
  by,
  directory,
  longest,
  results
}: GatewayOptions): Effect.Effect<Gateway, never, Host | Runtime | SessionStore | Scope.Scope> =>
  Effect.gen(function* () {
    const host = yield* Host
    const runtime = yield* Runtime
    const store = yield* SessionStore
    const ids = yield* Ids
    const redactor = yield* Redactor
    const scope = yield* Effect.scope
    const calls = new Map<string, Running.Running>()
    let free: Array<SessionHandle> = []
    let last: Project | undefined

    const project = Effect.gen(function* () {
      const found = yield* host.project(yield* host.locate(directory))
      // Sessions have the tools that there were when they began.
      if (found !== last) free = []
      last = found
      return found
    })
    const refused = (tool: string) => (error: { readonly message: string }) =>
      new CallRefused({ tool, reason: error.message })

    /** What earlier runs have left waiting for an answer. */
    const left = yield* Effect.cached(
      Effect.map(
        Effect.orElseSucceed(store.waiting(maxWaiting), (): ReadonlyArray<WaitingApproval> => []),
        (all) =>
          new Map(
            all
              .filter(({ request }) => request.sessionId.startsWith(`${prefix}_`) && request.masked === undefined)
              .map((one) => [sha256([one.project, one.request.tool, one.request.arguments]), one.request.sessionId])
          )
      )
    )

    const started = (key: string, handle: SessionHandle, submitted: Submitted) =>
      Effect.gen(function* () {
        const { running, watch } = yield* Running.follow(submitted, handle.id)
        calls.set(key, running)
        const made = last
        yield* Effect.forkIn(
          Effect.zipRight(
            watch,
            Effect.sync(() => {
              if (last === made) free.push(handle)
              // One that nobody waits for stays until an equal call comes.
              if (!running.detached && calls.get(key) === running) calls.delete(key)
            })
          ),
          scope
        )
        return running
      })

    /** Takes up a call of an earlier run that waits for an answer, or has got one since. */
    const resumed = (key: string, tool: string, parameters: unknown) =>
      Effect.gen(function* () {
        const waiting = yield* left
        const { project: here } = yield* host.locate(directory)
        const which = sha256([here, tool, parameters])
        const session = waiting.get(which)
        if (session === undefined) return undefined
        waiting.delete(which)
        const handle = yield* runtime.session({ id: session, resume: true, by })
        const task = handle.goesOn
        if (task === undefined) return undefined
        const events = Stream.takeUntil(
          Stream.filter(handle.events({ from: 1, transient: true }), (envelope) => envelope.task === task),
          ({ event }) => isTerminal(event)
        )
        const submitted: Submitted = {
          id: task,
          events,
          await: Effect.never,
          cancel: Effect.ignore(runtime.request(new CancelTask({ session, task, by }, trusted)))
        }
        return yield* started(key, handle, submitted)
      }).pipe(Effect.orElseSucceed(() => undefined))

    const begin = Effect.fn("Gateway.begin")(function* (key: string, tool: string, parameters: unknown) {
      const known = calls.get(key)
      if (known?.detached === true) {
        known.detached = false
        calls.delete(key)
        const open = known.open() !== undefined
        if (open) calls.set(key, known)
        return known
      }
      const before = yield* resumed(key, tool, parameters)
      if (before !== undefined) return before
      for (const [other, one] of calls) {
        if (calls.size < mostCalls) break
        if (one.detached && one.isOver()) calls.delete(other)
      }
      if (calls.size >= mostCalls) {
        return yield* new CallRefused({ tool, reason: `${mostCalls} calls are running or wait for an answer` })
      }
      const idle = free.pop()
      const handle =
        idle ??
        (yield* Effect.mapError(
          Effect.provideService(
            Effect.flatMap(ids.next(prefix), (id) => runtime.session({ id, create: { project: directory }, by })),
            Scope.Scope,
            scope
          ),
          refused(tool)
        ))
      const submitted = yield* Effect.mapError(handle.invoke(tool, parameters), refused(tool))
      return yield* started(key, handle, submitted)
    })

    const bounded = (result: CallResult): CallResult => {
      if (lengthOf(result) <= longest) return result
      const text = result.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
      const whole = text === "" ? JSON.stringify(result.structuredContent) : text
      return textOf(
        `${whole.slice(0, longest)}\n[… ${whole.length - longest} of ${whole.length} characters left out …]`,
        result.isError === true
      )
    }

    return {
      project,
      keyOf: (tool, parameters) =>
        Effect.scoped(project).pipe(
          Effect.mapError(refused(tool)),
          Effect.flatMap(({ tools }) => {
            const found = tools.tools.get(tool)
            return found === undefined || found.mode === "llm"
              ? new CallRefused({ tool, reason: "there is no tool of that name" })
              : Effect.succeed(sha256({ tool, definition: definition(found), parameters, by }))
          })
        ),
      begin: (key, tool, parameters) => Effect.provideService(begin(key, tool, parameters), Scope.Scope, scope),
      find: (key) => calls.get(key),
      decide: (running, request, { decision, scope: how = "once" }) =>
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
      resultOf: ({ task }, end) => {
        if (end === undefined) return textOf("The gateway stopped before the call had ended.", true)
        if (end._tag === "TaskInterrupted") return textOf("The call was interrupted.", true)
        if (end._tag === "TaskFailed") return textOf(end.message, true)
        const kept = results.take(task)
        return kept === undefined ? textOf(end.text, false) : bounded(redactor.json(kept) as CallResult)
      }
    }
  })
