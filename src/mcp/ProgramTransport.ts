import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import { isReadonlyRecord } from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ProcessCommand } from "../process/ProcessCommand.ts"
import type { Processes, RunningProcess } from "../process/Processes.ts"
import { pause } from "../process/RealClock.ts"
import { macrotask } from "../system/macrotask.ts"
import { type NotJson, parseJson } from "../text/Json.ts"
import { type Line, LineReader } from "../text/LineReader.ts"
import { type Losing, losing } from "./brokenOff.ts"
import type { Digits } from "./Digits.ts"
import { answeredIds, deepest, isAnswer, noAnswer } from "./JsonRpc.ts"
import { plainText } from "./ProtoName.ts"

/** Characters of a message of a server; a longer one ends it. */
const longestMessage = 32 * 1024 * 1024

/** Messages to a server that it has not read: one that asks without end and reads no answer would have them kept without end. */
const mostUnread = 10_000

/** Characters of what a server has said on its standard error that are kept. */
const keptSaid = 4096

/** How long a server may take to end once its input is closed. */
const farewell = "300 millis"

/** Nobody reads what is sent to a server. */
export class InputClosed extends Schema.TaggedError<InputClosed>()("InputClosed", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** A line of a server that is no message, such as one of a log that it keeps in the wrong place. */
export class NoMessage extends Schema.TaggedError<NoMessage>()("NoMessage", { line: Schema.String }) {
  override get message() {
    return `it wrote a line that is no message of the protocol: ${this.line}`
  }
}

const isMessage = (value: unknown): value is JSONRPCMessage => isReadonlyRecord(value) && value["jsonrpc"] === "2.0"

/** What a line has that is nested too deep for the rest of us: it is looked at for its id alone. */
const unbounded = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The request that malformed JSON begins to answer: nothing but its id stands in front of what it says. */
const begunAnswer =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")\s*,\s*"(?:result|error)"/

const begunIds = (line: string): ReadonlyArray<RequestId> => {
  const [, id] = begunAnswer.exec(line) ?? []
  return id === undefined ? [] : [id.startsWith('"') ? id.slice(1, -1) : Number(id)]
}

/** The requests to which no answer follows, because a server has sent one that cannot be used, and why. */
const spoilt = (
  line: string,
  parsed: Either.Either<unknown, NotJson>
): { readonly ids: ReadonlyArray<RequestId>; readonly why: string } => {
  if (Either.isLeft(parsed) && parsed.left === "malformed")
    return { ids: begunIds(line), why: "its answer is malformed JSON" }
  const value = Either.getOrElse(parsed, () => unbounded(line))
  if (Either.isLeft(parsed)) return { ids: answeredIds(value), why: "its answer is nested too deep" }
  return { ids: isAnswer(value) ? [] : answeredIds(value), why: noAnswer }
}

const isProgress = (message: JSONRPCMessage): boolean =>
  "method" in message && message.method === "notifications/progress"

/** A connection to a program over its standard input and output, which ends with its scope. */
export interface ProgramTransport extends Transport, Losing {
  /** The end of what it has said on its standard error. */
  readonly said: () => string
  /** Why there is no program at the other end any more. */
  readonly gone: () => string | undefined
}

const exitWords = (exitCode: number | null, signal: string | null): string =>
  signal === null ? `it exited with code ${exitCode}` : `it was ended by ${signal}`

/** Makes the transport; the program starts with `start`, in the scope. */
export const make = (
  processes: Processes["Type"],
  command: Omit<ProcessCommand, "stdin">,
  parent: Scope.Scope,
  keep: Digits["keep"] = identity
): Effect.Effect<ProgramTransport> =>
  Effect.gen(function* () {
    const run = Runtime.runPromise(yield* Effect.runtime())
    const own = yield* Scope.fork(parent, { _tag: "Sequential" })
    let running: RunningProcess | undefined
    let gone: string | undefined
    let said = ""
    let unread = 0
    const lines = new LineReader(longestMessage)
    const { isBrokenOff, lost } = losing()

    const ended = (why: string) =>
      Effect.suspend(() => {
        if (gone !== undefined) return Effect.void
        gone = why
        transport.onclose?.()
        return Effect.void
      })
    const cutOff = (why: string) => Effect.zipRight(ended(why), Effect.forkDaemon(Scope.close(own, Exit.void)))
    const take = ({ isCut, text: line }: Line) =>
      Effect.suspend(() => {
        if (gone !== undefined) return Effect.void
        if (isCut) return cutOff(`a message had more than ${longestMessage} characters`)
        if (line.trim() === "") return Effect.void
        const parsed = parseJson(keep(line), deepest)
        const { ids, why } = spoilt(line, parsed)
        const message = Either.getOrUndefined(parsed)
        if (ids.length > 0) for (const id of ids) transport.onmessage?.(lost(id, why))
        else if (!isMessage(message)) {
          transport.onerror?.(new NoMessage({ line: line.slice(0, 200) }))
        } else {
          transport.onmessage?.(message)
          // The library forgets who hears of a call as soon as it sees the answer.
          if (isProgress(message)) return macrotask
        }
        return Effect.void
      })
    const hear = (text: string) =>
      Effect.suspend(() => {
        if (gone !== undefined) return Effect.void
        return Effect.forEach(lines.push(text), take, { discard: true })
      })
    const begin = Effect.gen(function* () {
      const child = yield* Scope.extend(processes.spawn({ ...command, stdin: "open" }), own)
      running = child
      const read = Stream.runForEach(child.output, ({ channel, text }) => {
        if (channel === "stdout") return hear(text)
        said = (said + text).slice(-keptSaid)
        return Effect.void
      })
      const watched = Effect.zipRight(
        read,
        Effect.flatMap(child.exit, ({ exitCode, signal }) => ended(exitWords(exitCode, signal)))
      )
      yield* Scope.extend(Effect.forkScoped(watched), own)
    })
    const write = (message: JSONRPCMessage) =>
      Effect.async<void, InputClosed>((resume) => {
        const input = running?.input
        const closed = () => resume(new InputClosed({ reason: gone ?? "it does not read its input any more" }))
        if (input === undefined || gone !== undefined || !input.writable) return closed()
        unread++
        input.write(`${plainText(JSON.stringify(message))}\n`, (error) => {
          unread--
          if (error) closed()
          else resume(Effect.void)
        })
      })
    const send = (message: JSONRPCMessage) =>
      Effect.suspend(() =>
        unread < mostUnread
          ? write(message)
          : Effect.zipRight(cutOff(`it has not read ${mostUnread} messages`), write(message))
      )
    const close = Effect.suspend(() => {
      running?.input?.end()
      const left = running === undefined ? Effect.void : Effect.raceFirst(running.exit, pause(farewell))
      return Effect.zipRight(Effect.zipRight(left, ended("it was closed")), Scope.close(own, Exit.void))
    })
    const transport: ProgramTransport = {
      isBrokenOff,
      lost,
      start: () => run(begin),
      send: (message) => run(send(message)),
      close: () => run(close),
      said: () => said,
      gone: () => gone
    }
    return transport
  })
