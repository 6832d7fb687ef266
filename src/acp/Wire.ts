// @effect-diagnostics newPromise:off - the streams of the protocol are those of the web
import { type AnyMessage, type JsonRpcId, methods, ndJsonStream, type Stream } from "@agentclientprotocol/sdk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { Readable, Writable } from "node:stream"
import { setTimeout } from "node:timers/promises"

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
    if ("id" in message && isCounted(message)) this.open.add(message.id)
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
  const { readable, writable } = ndJsonStream(output, input)
  const waiting = new Map<JsonRpcId, Deferred.Deferred<void>>()
  const writer = writable.getWriter()
  const unanswered = new Unanswered()
  const told = (message: AnyMessage) => {
    if (!("id" in message) || "method" in message) return
    unanswered.told(message.id)
    const known = waiting.get(message.id)
    if (known === undefined) return
    waiting.delete(message.id)
    Deferred.unsafeDone(known, Exit.void)
  }
  return {
    stream: {
      readable: readable.pipeThrough(
        new TransformStream<AnyMessage, AnyMessage>({
          transform: (message, to) => {
            unanswered.asked(message)
            to.enqueue(message)
          },
          flush: () => unanswered.settled(grace)
        })
      ),
      writable: new WritableStream<AnyMessage>({
        write: (message) => writer.write(message).then(() => told(message))
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
