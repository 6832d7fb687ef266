// @effect-diagnostics newPromise:off - the streams of the protocol are those of the web
import { type AnyMessage, type ErrorResponse, type JsonRpcId, methods, type Stream } from "@agentclientprotocol/sdk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberId from "effect/FiberId"
import * as Exit from "effect/Exit"
import { isReadonlyRecord } from "effect/Predicate"
import type * as Scope from "effect/Scope"
import { Readable, Writable } from "node:stream"
import { setTimeout } from "node:timers/promises"
import { deepest } from "../mcp/JsonRpc.ts"
import { parseJson } from "../text/Json.ts"
import { type Line, LineReader } from "../text/LineReader.ts"
import { idIn, longestMessage, marked, noData, tooDeep, tooLong, written } from "./Message.ts"

/** Messages to and from the editor. */
export interface Wire {
  readonly stream: Stream
  /** Returns once the answer to a request of the editor is with it; called before the answer is given. */
  readonly answered: (request: JsonRpcId) => Effect.Effect<void>
}

/** A request whose answer has its id, but for prompts; what is none is answered without one. */
const isCounted = ({ id, jsonrpc, method }: { readonly [Key in "id" | "jsonrpc" | "method"]?: unknown }): boolean =>
  jsonrpc === "2.0" &&
  (id === null || typeof id === "string" || Number.isFinite(id)) &&
  typeof method === "string" &&
  method !== methods.agent.session.prompt

/** The requests that have no answer yet, but for prompts, which end with the input. */
class Unanswered {
  private readonly open = new Set<JsonRpcId>()
  private resolve = () => {}
  private readonly none = new Promise<void>((resolve) => {
    this.resolve = resolve
  })
  private isOver = false

  asked(message: AnyMessage): void {
    if (isReadonlyRecord(message) && "id" in message && isCounted(message)) this.open.add(message.id as JsonRpcId)
  }

  told(id: JsonRpcId): void {
    this.open.delete(id)
    if (this.isOver && this.open.size === 0) this.resolve()
  }

  /** Resolves once all are answered, or take longer than `grace` milliseconds. */
  settled(grace: number): Promise<void> {
    this.isOver = true
    if (this.open.size === 0) this.resolve()
    return Promise.race([this.none, setTimeout(grace, undefined, { ref: false })])
  }
}

/** The wire over a pair of byte streams. Its end waits `grace` milliseconds for requests that came before that of the input. */
export const over = (output: WritableStream<Uint8Array>, input: ReadableStream<Uint8Array>, grace = 5000): Wire => {
  const waiting = new Map<JsonRpcId, Deferred.Deferred<void>>()
  const writer = output.getWriter()
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  const lines = new LineReader(longestMessage)
  const unanswered = new Unanswered()
  const told = (message: AnyMessage) => {
    if (!("id" in message) || "method" in message) return
    unanswered.told(message.id)
    const known = waiting.get(message.id)
    if (known === undefined) return
    waiting.delete(message.id)
    Deferred.unsafeDone(known, Exit.void)
  }
  const write = (line: string) => writer.write(encoder.encode(`${line}\n`))

  /** Answers a line that is not read with an error; where it is an answer itself, its request fails by that. */
  const refuse = (text: string, error: ErrorResponse, to: TransformStreamDefaultController<AnyMessage>) => {
    const { id = "null", isAnswer = false } = idIn(text) ?? {}
    const answer = `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`
    if (isAnswer) to.enqueue(JSON.parse(answer) as AnyMessage)
    // An editor that does not read has gone.
    else void write(answer).catch(() => {})
  }
  const take = (line: Line, to: TransformStreamDefaultController<AnyMessage>) => {
    const text = line.text.trim()
    if (line.isCut) return refuse(text, tooLong, to)
    if (text === "") return
    const found = parseJson(text, deepest)
    if (Either.isLeft(found)) return refuse(text, found.left === "too deep" ? tooDeep : noData, to)
    const message = marked(found.right, text)
    unanswered.asked(message)
    to.enqueue(message)
  }
  return {
    stream: {
      readable: input.pipeThrough(
        new TransformStream<Uint8Array, AnyMessage>({
          transform: (bytes, to) =>
            lines.push(decoder.decode(bytes, { stream: true })).forEach((line) => take(line, to)),
          flush: (to) => {
            lines.push(decoder.decode()).forEach((line) => take(line, to))
            lines.end().forEach((line) => take(line, to))
            return unanswered.settled(grace)
          }
        })
      ),
      writable: new WritableStream<AnyMessage>({
        write: (message) => write(written(message)).then(() => told(message))
      })
    },
    answered: (request) => {
      const answer = Deferred.unsafeMake<void>(FiberId.none)
      waiting.set(request, answer)
      return Deferred.await(answer)
    }
  }
}

/**
 * The wire over the standard streams. As long as the scope is open nothing else reaches standard output: what any part of the
 * process writes there goes to standard error.
 */
export const stdio: Effect.Effect<Wire, never, Scope.Scope> = Effect.gen(function* () {
  const { stderr, stdin, stdout } = process
  const own = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const write = stdout.write
      stdout.write = stderr.write.bind(stderr)
      return write.bind(stdout)
    }),
    () => Effect.sync(() => Reflect.deleteProperty(stdout, "write"))
  )
  const output = new Writable({
    write: (bytes: Uint8Array, _, done) => void own(bytes, (error) => done(error ?? null))
  })
  output.on("error", () => {})
  return over(Writable.toWeb(output), Readable.toWeb(stdin) as ReadableStream<Uint8Array>)
})
