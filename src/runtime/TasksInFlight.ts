import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { logCrash } from "../redaction/logCrash.ts"
import type { WorkerOutcome } from "../agent/Worker.ts"
import type { SessionApprovals } from "../approval/SessionState.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { monotonicMillis } from "../system/monotonic.ts"
import { toText } from "../tool/WorkerPath.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { type CancelTask, causeOf, type Interrupt } from "./Command.ts"
import { type SessionSuspended, TaskCancelling, TaskQueued } from "./RuntimeEvent.ts"
import type { EventLog } from "./EventLog.ts"
import { exitWithGrace } from "./exitWithGrace.ts"
import type { Replies } from "./Replies.ts"
import { RuntimeOptions } from "./RuntimeOptions.ts"
import { SessionStore } from "./SessionStore.ts"
import type { Submission, Submissions } from "./Submissions.ts"
import { type TaskError, TaskTimedOut } from "./Task.ts"
import { type Outcome, taskEnd } from "./taskEnd.ts"
import * as TaskSink from "./TaskSink.ts"

/** What a task does. */
export type Body = (sink: TaskSink.TaskSink) => Effect.Effect<WorkerOutcome, TaskError>

interface InFlight {
  readonly fiber: Fiber.RuntimeFiber<void>
  readonly sink: TaskSink.TaskSink
}

/** The tasks of one session that are queued or run, one at a time. */
export interface TasksInFlight {
  readonly size: () => number
  /** Starts a task, unless the session has had one of that name. */
  readonly start: (command: Submission, prompt: string, body: Body) => Effect.Effect<void>
  /** Goes on with a task that stopped with an earlier owner. */
  readonly resume: (task: string, body: Body, restored: TaskSink.Restored) => Effect.Effect<void>
  /** Ends the current tasks before waiting commands, and answers. */
  readonly interrupt: (command: CancelTask | Interrupt) => Effect.Effect<void>
  /** Closes the task that waits for decisions, which goes on with the next owner. */
  readonly suspend: () => SessionSuspended["waits"]
  /** Interruptions from here on are by the shutdown. */
  readonly stopping: () => void
  /** Interrupts all, and returns once every task has its terminal event. */
  readonly shutdown: Effect.Effect<void>
}

export interface TasksInFlightParts {
  readonly approvals: SessionApprovals
  readonly log: EventLog
  readonly replies: Replies
  readonly submissions: Submissions
  readonly view: ModelView
}

/**
 * A task is a daemon that is interruptible only while it works, so that it reaches its terminal event exactly once;
 * `FiberMap` would start it interruptible and forget it early.
 */
export const make = ({
  approvals,
  log,
  replies: { done, reject },
  submissions,
  view
}: TasksInFlightParts): Effect.Effect<TasksInFlight, never, SessionStore> =>
  Effect.gen(function* () {
    const options = yield* RuntimeOptions
    const store = yield* SessionStore
    const redactor = yield* Redactor
    const { session: id } = log.lease
    const tasks = new Map<string, InFlight>()
    const seen = new Set<string>()
    const oneTask = yield* Effect.makeSemaphore(1)
    let interruptedBy: "user" | "shutdown" = "user"

    const run = (sink: TaskSink.TaskSink, body: Body) => {
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
              yield* logCrash("A task crashed", outcome.cause)
            }
            yield* sink.end(taskEnd(outcome, interruptedBy, Math.round((yield* monotonicMillis) - startedAt)))
          })
        // Outside of the time limit: a straggler does not delay the next tasks.
        const turn = yield* Effect.exit(Effect.interruptible(oneTask.take(1)))
        if (Exit.isFailure(turn)) return yield* end(Exit.failCause(turn.cause))
        const worked = Effect.zipRight(
          approvals.beginTask,
          Effect.suspend(() => body(sink))
        )
        yield* Effect.flatMap(work(worked), end).pipe(
          Effect.ensuring(approvals.endTask),
          Effect.ensuring(oneTask.release(1))
        )
      })
    }

    const launch = (task: string, body: Body, ended: () => void, restored: TaskSink.Restored = TaskSink.afresh) =>
      Effect.gen(function* () {
        const sink = TaskSink.make(log, task, redactor, (change) => view.apply(change), restored)
        const fiber = yield* Effect.forkDaemon(run(sink, body))
        tasks.set(task, { fiber, sink })
        fiber.addObserver(() => {
          tasks.delete(task)
          ended()
        })
      })

    const interruptOne = ({ fiber, sink }: InFlight, { by }: Pick<CancelTask, "by">) =>
      Effect.zipRight(
        sink.emit(new TaskCancelling(by === undefined ? {} : { by }, trusted)),
        Fiber.interruptFork(fiber)
      )

    const start = (command: Submission, prompt: string, body: Body) => {
      let launched = false
      return Effect.gen(function* () {
        const { task } = command
        if (prompt.trim() === "")
          return yield* reject(command, "The prompt is empty, so no task was started; send one that says something.")
        // All tasks of a session that began here are among those that were seen.
        const known =
          log.lease.created || seen.has(task)
            ? Either.right(seen.has(task))
            : yield* Effect.either(store.hasTask(id, task))
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
        if (inFlight !== undefined && cancelled !== undefined) yield* interruptOne(inFlight, cancelled)
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            if (!launched) submissions.leave(command)
          })
        ),
        Effect.uninterruptible
      )
    }

    return {
      size: () => tasks.size,
      start,
      resume: (task, body, restored) => {
        seen.add(task)
        return Effect.uninterruptible(launch(task, body, () => undefined, restored))
      },
      interrupt: (command) => {
        const worker = command._tag === "Interrupt" ? command.worker : undefined
        if (worker !== undefined) {
          return [...tasks.values()].some(({ sink }) => sink.cancelWorker(worker))
            ? done(command)
            : reject(command, `No worker ${toText(worker)} is running.`)
        }
        const task = command._tag === "CancelTask" ? command.task : undefined
        const waits = submissions.cancel(command)
        const found = [...tasks].filter(([name]) => task === undefined || name === task)
        return found.length > 0 || waits || task === undefined
          ? Effect.zipRight(
              Effect.forEach(found, ([, one]) => interruptOne(one, causeOf(command)), { discard: true }),
              done(command)
            )
          : reject(command, `No task ${task} is in flight.`)
      },
      // Tasks run one after the other: at most one waits.
      suspend: () => {
        for (const [task, { sink }] of tasks) {
          const approvals = sink.suspend()
          if (approvals.length > 0) return { task, approvals }
        }
        return undefined
      },
      stopping: () => {
        interruptedBy = "shutdown"
      },
      shutdown: Effect.suspend(() => Fiber.interruptAll([...tasks.values()].map(({ fiber }) => fiber)))
    }
  })
