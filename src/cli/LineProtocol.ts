import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import type { ParseError } from "effect/ParseResult"
import * as Mailbox from "effect/Mailbox"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { mistakesOf } from "../redaction/Mistake.ts"
import {
  AnswerClientCall,
  CancelTask,
  ClearSession,
  CompactSession,
  DecideApproval,
  DeclareClientTools,
  DetachCall,
  Interrupt,
  InvokeTool,
  RevokeApproval,
  SetApprovalPolicy,
  Shutdown,
  SubmitPrompt,
  SuspendSession,
  SwitchModel,
  unnamedTask
} from "../runtime/Command.ts"
import { type Envelope, schemaVersion, toLine } from "../runtime/Envelope.ts"
import { CommandRejected } from "../runtime/RuntimeEvent.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { maxJsonDepth, parseAnswer } from "../text/Json.ts"
import { Ids } from "../tool/Ids.ts"
import { readyAnswers } from "../runtime/openRequests.ts"
import { pause } from "../process/RealClock.ts"
import { trusted } from "../tool/ToolEvent.ts"
import type { Opened } from "../ui/Conversation.ts"
import { ApprovalWaits, endedEarly } from "./Outcome.ts"
import { type InputLine, lineLimit, stdinLines } from "./stdinLines.ts"
import { Stopping } from "./Stopping.ts"
import { Screen } from "./terminal/Screen.ts"
import { Unfinished } from "./Unfinished.ts"

/** What a program may send; `session`, and the `task` of what starts one, may be left out. */
export const Line = Schema.Union(
  SubmitPrompt,
  InvokeTool,
  DecideApproval,
  AnswerClientCall,
  DeclareClientTools,
  CancelTask,
  Interrupt,
  DetachCall,
  SwitchModel,
  SetApprovalPolicy,
  RevokeApproval,
  ClearSession,
  CompactSession
)
type Line = typeof Line.Type

/** By the tag of a command, what its fields must be: one that is not known is a mistake, not something to pass over. */
const decoders: ReadonlyMap<string, (given: unknown) => Either.Either<Line, ParseError>> = new Map(
  Line.members.map((member) => [
    member._tag,
    Schema.decodeUnknownEither(member as Schema.Schema<Line, unknown>, { onExcessProperty: "error" })
  ])
)
const starting: ReadonlySet<string> = new Set(["SubmitPrompt", "InvokeTool", "CompactSession"])

/** The session of the envelopes that answer lines which are no commands; `seq` counts them. */
const inputSession = "input"

/** Answers to broken lines that may wait for a reader; then no more lines are read. */
const maxComplaints = 1024

/** How long what was interrupted may take before the process goes anyway; longer than the runtime's own grace. */
const patience = Duration.seconds(8)

/** A line that is no command. */
interface Broken {
  /** What it says it is. */
  readonly command: string
  readonly reason: string
  readonly commandId?: string
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value.slice(0, 200) : undefined)

const faults = {
  "too long": `it is longer than ${lineLimit} bytes`,
  "not UTF-8": "it is not UTF-8 text",
  "too deep": `it is nested deeper than ${maxJsonDepth} levels`,
  ambiguous: "it has a name twice"
} as const

/** The command of a line. */
const commandOf = ({ fault, text }: InputLine, session: string, made: string): Either.Either<Line, Broken> => {
  const broken = (reason: string, said: Partial<Broken> = {}) => Either.left({ command: "", reason, ...said })
  if (fault !== undefined) return broken(faults[fault])
  const json = parseAnswer(text)
  if (Either.isLeft(json) && json.left !== "malformed") return broken(faults[json.left])
  if (Either.isLeft(json) || typeof json.right !== "object" || json.right === null || Array.isArray(json.right)) {
    return broken("it is not a JSON object")
  }
  const given = json.right as Readonly<Record<string, unknown>>
  const tag = textOf(given["_tag"]) ?? ""
  const commandId = textOf(given["commandId"])
  const said = { command: tag, ...(commandId === undefined ? {} : { commandId }) }
  const decode = decoders.get(tag)
  if (decode === undefined) {
    return broken(
      `${tag === "" ? "it has no _tag" : `unknown _tag ${JSON.stringify(tag)}`}; known: ${[...decoders.keys()].join(", ")}`,
      said
    )
  }
  if (given["session"] !== undefined && given["session"] !== session) {
    return broken(`this run is of session ${session}; leave out session, or name that one`, said)
  }
  const task = unnamedTask(typeof given["commandId"] === "string" ? given["commandId"] : undefined, made)
  const whole = { ...(starting.has(tag) ? { task } : {}), ...given, session }
  return Either.mapLeft(decode(whole), (error) => {
    const [first] = mistakesOf(error)
    return { ...said, reason: first === undefined ? "it is invalid" : `${first.path.join(".")}: ${first.problem}` }
  })
}

/**
 * Carries out the commands on standard input, one by one, and writes the envelopes of the session to standard output, the one
 * that opened it first. Whoever does not read delays nobody: what is not read yet is in the log. After the end of the input it
 * waits for the tasks that run, and suspends the session where one of them waits for a decision that nobody can send any more.
 */
export const converse = (opened: Opened) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const ids = yield* Ids
    const { answer } = yield* Screen
    const { by } = yield* Stopping
    const { session } = opened
    const unfinished = new Unfinished()
    if (opened.goesOn !== undefined) unfinished.begin(opened.goesOn)
    let moved = Effect.unsafeMakeLatch(false)
    const move = Effect.suspend(() => {
      const waiting = moved
      moved = Effect.unsafeMakeLatch(false)
      return waiting.open
    })

    const complaints = yield* Mailbox.make<Envelope>({ capacity: maxComplaints })
    let seq = 0
    const complain = ({ command, commandId, reason }: Broken, line: number) =>
      Effect.flatMap(Clock.currentTimeMillis, (time) => {
        const named = commandId === undefined ? {} : { commandId }
        const event = new CommandRejected({ ...named, command, reason: `line ${line}: ${reason}` }, trusted)
        return complaints.offer({ version: schemaVersion, seq: ++seq, time, session: inputSession, event })
      })

    const begun = yield* Deferred.make<void>()
    const written = runtime.subscribe(session, { from: opened.seq }).pipe(
      Stream.merge(
        // The first line says which session it is.
        Stream.unwrap(Effect.as(Deferred.await(begun), Mailbox.toStream(complaints)))
      ),
      Stream.runForEachChunk((chunk) =>
        Effect.zipRight(
          answer(Array.from(chunk, (one) => `${toLine(one)}\n`).join("")),
          Deferred.succeed(begun, undefined)
        )
      )
    )
    // No children of this fiber, which would pass an interruption on before the end has been written.
    const writing = yield* Effect.forkScoped(written)
    yield* Effect.forkScoped(
      Stream.runForEach(runtime.subscribe(session, { from: opened.seq, transient: false }), (envelope) => {
        unfinished.note(envelope)
        return move
      })
    )

    const perform = (command: Line) =>
      Effect.map(runtime.request(command), ({ event, seq, task }) => {
        // The answer may precede the same event of the log. One of before this opening is of a task that ended, or goes on.
        if (event._tag === "TaskQueued" && task !== undefined && seq >= opened.seq) unfinished.begin(task)
        if (command._tag === "DecideApproval") unfinished.answer(command.approvalId)
        else if (command._tag === "AnswerClientCall") unfinished.answer(command.requestId)
      })
    const take = (line: InputLine) =>
      Effect.gen(function* () {
        const command = commandOf(line, session, yield* ids.next("task"))
        if (Either.isLeft(command)) return yield* complain(command.left, line.number)
        const { _tag, commandId } = command.right
        const named = { command: _tag, ...(commandId === undefined ? {} : { commandId }) }
        yield* perform(command.right).pipe(
          Effect.catchTags({
            // The log has every other rejection.
            RequestRejected: (error) =>
              error.error === "CommandIdTaken"
                ? complain({ ...named, reason: error.message }, line.number)
                : Effect.void,
            TooManyTasks: (error) => complain({ ...named, reason: error.message }, line.number)
          })
        )
      })

    /** Requests that nobody has answered, here or elsewhere. */
    const unanswered = Effect.suspend(() => {
      const ids = [...unfinished.approvals.keys()]
      return Effect.map(
        Effect.orElseSucceed(readyAnswers(ids), () => new Map()),
        (ready) => ids.filter((id) => unfinished.approvals.has(id) && !ready.has(id))
      )
    })
    /** Returns once nothing runs, or what runs waits for a decision. */
    const settled: Effect.Effect<void> = Effect.suspend(() => {
      const signal = moved.await
      const abandoned = [...unfinished.clientCalls.keys()]
      unfinished.clientCalls.clear()
      const error = "The program in front has closed its input."
      const given = Effect.forEach(
        abandoned,
        (requestId) => Effect.ignore(runtime.request(new AnswerClientCall({ session, requestId, error }, trusted))),
        { discard: true }
      )
      return Effect.zipRight(
        given,
        Effect.flatMap(unanswered, ({ length }) => {
          if (unfinished.tasks.size === 0 || length > 0) return Effect.void
          // An answer from elsewhere that is refused tells nobody.
          const again = unfinished.approvals.size > 0 ? Effect.raceFirst(signal, pause("200 millis")) : signal
          return Effect.zipRight(again, settled)
        })
      )
    })
    /** Closes the session, and waits until the last of it is written. */
    const finish = Effect.gen(function* () {
      yield* Effect.ignore(runtime.request(new SuspendSession({ session }, trusted)))
      yield* complaints.end
      yield* Deferred.succeed(begun, undefined)
      yield* Fiber.join(writing)
    })
    const stop = Effect.suspend(() =>
      by() === "user"
        ? Effect.zipRight(Effect.ignore(runtime.request(new Interrupt({ session }, trusted))), settled)
        : Effect.ignore(runtime.send(new Shutdown({}, trusted)))
    )
    const ended = Effect.interruptible(Effect.timeoutOption(Effect.ignore(Effect.zipRight(stop, finish)), patience))

    const read = Effect.zipRight(Deferred.await(begun), Stream.runForEach(stdinLines, take))
    yield* Effect.zipRight(read, settled).pipe(
      // In a fiber of its own: a wait that can be interrupted would not even begin in one that has been.
      Effect.onInterrupt(() => Effect.flatMap(Effect.forkDaemon(ended), Fiber.await))
    )
    const [waiting] = unfinished.approvals
    const isWaiting = unfinished.tasks.size > 0
    yield* finish
    if (isWaiting && waiting !== undefined) {
      return yield* new ApprovalWaits({ session, approvalId: waiting[0], tool: waiting[1] })
    }
    const { last } = unfinished
    if (last !== undefined && last._tag !== "TaskCompleted") return yield* endedEarly(last)
  }).pipe(Effect.scoped)
