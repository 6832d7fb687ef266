import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { Tools } from "../agent/Tools.ts"
import type { WorkerOutcome } from "../agent/Worker.ts"
import { Approvals } from "../approval/Approvals.ts"
import { ClientTools } from "../approval/ClientTools.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { ModelView } from "../conversation/ModelView.ts"
import { endOf } from "../middleware/endOf.ts"
import { monotonicMillis } from "../system/monotonic.ts"
import { Models } from "../model/Models.ts"
import { openModel } from "../model/openModel.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { type CancelTask, causeOf, type DecideApproval, type EndSession, type Interrupt } from "./Command.ts"
import { senderOf, type SessionCommand } from "./Command.ts"
import { contained } from "./contained.ts"
import * as Continuation from "./continuation.ts"
import {
  ApprovalPolicySet,
  ApprovalRevoked,
  CommandPerformed,
  CommandRejected,
  ModelSwitched,
  SessionCleared,
  SessionEnded,
  SessionSuspended,
  TaskCancelling,
  TaskCompleted,
  TaskFailed,
  TaskInterrupted,
  TaskQueued,
  type TerminalEvent
} from "./Event.ts"
import type { EventLog } from "./EventLog.ts"
import { exitWithGrace } from "./exitWithGrace.ts"
import { goOn } from "./goOn.ts"
import { RuntimeOptions } from "./RuntimeOptions.ts"
import { recover } from "./recover.ts"
import { SessionStore } from "./SessionStore.ts"
import type { Submission, Submissions } from "./Submissions.ts"
import { type TaskError, TaskTimedOut, makeTasks } from "./Task.ts"
import * as TaskSink from "./TaskSink.ts"

/** One conversation: its actor and its log. */
export interface Session {
  readonly id: string
  readonly log: EventLog
  /** Suspends while too many commands wait; false once the session has stopped. */
  readonly send: (command: SessionCommand) => Effect.Effect<boolean>
  /** Ends the tasks that there are when it is called, whatever commands wait; what it gives says so and is to be run. */
  readonly interrupt: (command: CancelTask | Interrupt) => Effect.Effect<void>
  /** Whether it still takes commands. */
  readonly isOpen: () => boolean
  /** Interrupts what is in flight, writes the last events and closes the log. */
  readonly stop: Effect.Effect<void>
  readonly stopped: Effect.Effect<void>
}

/** Characters of a frontend's name. */
const maxName = 64

const deciderOf = (command: DecideApproval): string =>
  command.frontend === undefined ? senderOf(command) : `frontend ${command.frontend.slice(0, maxName)}`

type Outcome = Exit.Exit<WorkerOutcome, TaskError>

const kindOf = (error: TaskError): TaskFailed["kind"] => {
  switch (error._tag) {
    case "IterationLimitReached":
      return "limit"
    case "TaskTimedOut":
      return "timeout"
    case "TaskStopped":
      return error.error === "Crashed" ? "defect" : "denied"
    default:
      return "model"
  }
}

const terminal = (outcome: Outcome, by: "user" | "shutdown", durationMillis: number): TerminalEvent => {
  if (Exit.isSuccess(outcome)) return new TaskCompleted({ ...outcome.value, durationMillis }, trusted)
  const failure = Cause.failureOption(outcome.cause)
  if (Option.isSome(failure)) {
    const { _tag, message } = failure.value
    const error = _tag === "TaskStopped" ? failure.value.error : _tag
    const why = error === undefined ? {} : { error }
    return new TaskFailed({ kind: kindOf(failure.value), message, ...why, durationMillis }, trusted)
  }
  return endOf(outcome.cause) === "interrupted"
    ? new TaskInterrupted({ by, durationMillis }, trusted)
    : new TaskFailed(
        { kind: "defect", message: "The task crashed. This is a bug of Tollgate.", durationMillis },
        trusted
      )
}

interface InFlight {
  readonly fiber: Fiber.RuntimeFiber<void>
  readonly sink: TaskSink.TaskSink
}

/** Closes the tasks that wait for decisions, which go on with the next owner. */
const suspended = (tasks: ReadonlyArray<readonly [string, InFlight]>) =>
  tasks.flatMap(([task, { sink }]) => {
    const approvals = sink.suspend()
    return approvals.length === 0 ? [] : [{ task, approvals }]
  })

type Body = (sink: TaskSink.TaskSink) => Effect.Effect<WorkerOutcome, TaskError>

/**
 * Opens a session on its log; what cannot be read of it is the error, and nothing is taken up. A task is a daemon that cannot be interrupted except where it works, so that it reaches its
 * terminal event whatever happens, exactly once (R4); `FiberMap` would start it interruptible and forget it early.
 */
export const make = (
  log: EventLog,
  submissions: Submissions,
  opener: ReturnType<typeof causeOf> = {}
): Effect.Effect<Session, DatabaseError, Scope.Scope | Models | Tools | Approvals | SessionStore> =>
  Effect.gen(function* () {
    const options = yield* RuntimeOptions
    const models = yield* Models
    const approvals = yield* Approvals
    const clientTools = yield* ClientTools
    const store = yield* SessionStore
    const redactor = yield* Redactor
    const { session: id } = log.lease
    const view = new ModelView()
    const commands = yield* Mailbox.make<SessionCommand>({ capacity: options.commandCapacity, strategy: "suspend" })
    const tasks = new Map<string, InFlight>()
    const seen = new Set<string>()
    const oneTask = yield* Effect.makeSemaphore(1)
    const stopped = yield* Deferred.make<void>()
    let profile = log.lease.profile === "" ? models.preferred : log.lease.profile
    let interruptedBy: "user" | "shutdown" = "user"
    let endedBy: EndSession | undefined

    const own = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    const approval = yield* Scope.extend(approvals.session({ session: id, project: log.lease.project }), own)
    const found = yield* Continuation.find(log, store)
    if (found.continuation !== undefined) yield* approval.restore(found.continuation.requests)
    yield* recover(log, found, view, opener)
    const bodies = yield* makeTasks(log.lease, view)

    const runTask = (sink: TaskSink.TaskSink, body: Body) => {
      const limit = options.taskTimeout
      const work = exitWithGrace({
        grace: options.interruptGrace,
        limit,
        onTimeout: () => new TaskTimedOut({ afterMillis: Duration.toMillis(limit) })
      })
      return Effect.gen(function* () {
        const startedAt = yield* monotonicMillis
        const end = (outcome: Outcome) =>
          Effect.gen(function* () {
            if (Exit.isFailure(outcome) && Cause.isDie(outcome.cause)) {
              yield* Effect.logError("A task crashed", outcome.cause)
            }
            yield* sink.end(terminal(outcome, interruptedBy, Math.round((yield* monotonicMillis) - startedAt)))
          })
        // Outside of what is given up on, so that a straggler does not keep the tasks behind it waiting.
        const turn = yield* Effect.exit(Effect.interruptible(oneTask.take(1)))
        if (Exit.isFailure(turn)) return yield* end(Exit.failCause(turn.cause))
        const worked = Effect.zipRight(
          approval.beginTask,
          Effect.suspend(() => body(sink))
        )
        yield* Effect.flatMap(work(worked), end).pipe(
          Effect.ensuring(approval.endTask),
          Effect.ensuring(oneTask.release(1))
        )
      })
    }

    const reject = (command: SessionCommand, reason: string, error?: string) =>
      log.emit(
        new CommandRejected(
          {
            command: command._tag,
            reason,
            ...(error === undefined ? {} : { error }),
            ...causeOf(command)
          },
          trusted
        ),
        {}
      )

    /** Answers a command whose effect no event of its own tells. */
    const done = (command: SessionCommand) =>
      command.commandId === undefined
        ? Effect.void
        : log.emit(new CommandPerformed({ ...causeOf(command), command: command._tag }, trusted), {})

    const launch = (task: string, body: Body, ended: () => void, restored: TaskSink.Restored = TaskSink.afresh) =>
      Effect.gen(function* () {
        const sink = TaskSink.make(log, task, redactor, (message) => view.add(message), restored)
        const fiber = yield* Effect.forkDaemon(runTask(sink, body))
        tasks.set(task, { fiber, sink })
        fiber.addObserver(() => {
          tasks.delete(task)
          ended()
        })
      })

    const startTask = (command: Submission, prompt: string, body: Body) => {
      let launched = false
      return Effect.gen(function* () {
        const { task } = command
        const known = seen.has(task) ? Either.right(true) : yield* Effect.either(store.hasTask(id, task))
        // Who cannot tell whether it ran before does not run it.
        if (Either.isLeft(known)) return yield* reject(command, `The task was not started: ${known.left.message}`)
        if (known.right)
          return yield* reject(command, `The session has a task ${task} already; it was not started again.`)
        seen.add(task)
        const queued = { ...causeOf(command), prompt: redactor.text(prompt), ahead: tasks.size }
        yield* log.emit(new TaskQueued(queued, trusted), { task })
        launched = true
        yield* launch(task, body, () => submissions.leave(command))
        const inFlight = tasks.get(task)
        const cancelled = submissions.cancelledBy(command)
        if (inFlight !== undefined && cancelled !== undefined) yield* interrupt(inFlight, cancelled)
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            if (!launched) submissions.leave(command)
          })
        ),
        Effect.uninterruptible
      )
    }

    const interrupt = ({ fiber, sink }: InFlight, { by }: Pick<CancelTask, "by">) =>
      Effect.zipRight(
        sink.emit(new TaskCancelling(by === undefined ? {} : { by }, trusted)),
        Fiber.interruptFork(fiber)
      )

    const interruption = (command: CancelTask | Interrupt): Effect.Effect<void> => {
      const task = command._tag === "CancelTask" ? command.task : undefined
      const waits = submissions.cancel(command)
      const inFlight = [...tasks].filter(([name]) => task === undefined || name === task)
      return inFlight.length > 0 || waits || task === undefined
        ? Effect.zipRight(
            Effect.forEach(inFlight, ([, found]) => interrupt(found, causeOf(command)), { discard: true }),
            done(command)
          )
        : reject(command, `No task ${task} is in flight.`)
    }

    const perform = (command: SessionCommand): Effect.Effect<void> => {
      switch (command._tag) {
        case "SubmitPrompt":
          return startTask(command, command.prompt, (sink) =>
            bodies.prompt(sink, command.task, command.prompt, profile)
          )
        case "InvokeTool":
          return startTask(command, `/tool ${command.tool}`, (sink) => bodies.invoke(sink, command))
        case "CompactSession":
          return startTask(command, "/compact", (sink) => bodies.compact(sink, profile))
        case "DecideApproval":
          return approvals
            .decide({ ...command, sessionId: id, scope: command.scope ?? "once", by: deciderOf(command) })
            .pipe(
              Effect.zipRight(done(command)),
              Effect.catchAll((error) => reject(command, error.message, error._tag))
            )
        case "RevokeApproval":
          return approval.revoke(command.grantId, senderOf(command)).pipe(
            Effect.flatMap((revoked) =>
              revoked
                ? log.emit(new ApprovalRevoked({ ...causeOf(command), grantId: command.grantId }, trusted), {})
                : reject(command, `There is no grant and no saved rule ${command.grantId} here.`)
            ),
            Effect.catchAll((error) => reject(command, error.message, error._tag))
          )
        case "DeclareClientTools":
          return Effect.zipRight(clientTools.declare(id, command.tools), done(command))
        case "AnswerClientCall":
          return clientTools.answer({ ...command, sessionId: id }).pipe(
            Effect.zipRight(done(command)),
            Effect.catchAll((error) => reject(command, error.message, error._tag))
          )
        case "CancelTask":
        case "Interrupt":
          return interruption(command)
        case "SetApprovalPolicy":
          return Effect.flatMap(approval.setPolicy(command.policy, senderOf(command)), (set) =>
            set
              ? log.emit(new ApprovalPolicySet({ ...causeOf(command), policy: command.policy }, trusted), {})
              : reject(
                  command,
                  "The policy allow cannot be set here: everything is allowed only where Tollgate was started so.",
                  "PolicyNotAllowed"
                )
          )
        case "SwitchModel":
          return Effect.matchEffect(openModel(models, command.profile), {
            onFailure: (error) => reject(command, error.message, error._tag),
            onSuccess: () =>
              Effect.suspend(() => {
                profile = command.profile
                return log.emit(new ModelSwitched({ ...causeOf(command), profile }, trusted), {})
              })
          })
        case "ClearSession":
          return Effect.suspend(() => {
            if (tasks.size > 0) return reject(command, "A task is in flight; interrupt it first.")
            view.clear()
            return log.emit(new SessionCleared(causeOf(command), trusted), {})
          })
        case "EndSession":
          return Effect.suspend(() => {
            if (endedBy !== undefined) return done(command)
            endedBy = command
            return Effect.asVoid(commands.end)
          })
      }
    }

    const { continuation } = found
    if (continuation !== undefined) {
      const { requests, task } = continuation
      const body = yield* goOn(continuation, id, approval, view, profile)
      seen.add(task)
      const restored = { requests: requests.map((request) => request.id), deeds: found.deeds.get(task) }
      yield* Effect.uninterruptible(launch(task, body, () => undefined, restored))
    }

    const loop: Effect.Effect<void> = commands.take.pipe(
      Effect.flatMap(contained(perform, reject)),
      Effect.forever,
      Effect.catchTag("NoSuchElementException", () => Effect.void)
    )
    // The same way out for the end of the commands, a closed scope, a failed store and a defect of the loop.
    const finish = Effect.gen(function* () {
      interruptedBy = "shutdown"
      yield* commands.shutdown
      // Tasks run one after the other, so that at most one waits.
      const [waits] = endedBy !== undefined ? [] : suspended([...tasks])
      yield* approval.suspend(waits?.approvals ?? [])
      yield* Fiber.interruptAll([...tasks.values()].map(({ fiber }) => fiber))
      const closed = new SessionSuspended(waits === undefined ? {} : { waits }, trusted)
      yield* log.emit(endedBy === undefined ? closed : new SessionEnded(causeOf(endedBy), trusted), {})
      yield* Scope.close(own, Exit.void)
      yield* clientTools.endSession(id)
      yield* log.close
      yield* Deferred.succeed(stopped, undefined)
    })
    // Interruptible inside of its end, so that one that is interrupted before it begins still ends.
    const actor = yield* Effect.interruptible(Effect.raceFirst(loop, Effect.exit(log.failure))).pipe(
      Effect.onExit(() => finish),
      Effect.forkScoped,
      Effect.uninterruptible
    )

    return {
      id,
      log,
      send: (command) => commands.offer(command),
      interrupt: interruption,
      isOpen: () => endedBy === undefined && Option.isSome(commands.unsafeSize()),
      stop: Effect.zipRight(Fiber.interrupt(actor), Deferred.await(stopped)),
      stopped: Deferred.await(stopped)
    }
  })
