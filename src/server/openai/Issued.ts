import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

/** A call that a client was asked to make. */
export interface IssuedCall {
  readonly kind: "approval" | "client"
  readonly session: string
  readonly task: string
  /** The name of the token that it was given to. */
  readonly by: string
  /** The number of the last event that its client has been told of. */
  readonly seq: number
  readonly callId: string
  readonly name: string
  /** JSON text. */
  readonly arguments: string
}

/** Calls that are remembered, also after they have ended: the oldest are forgotten. */
const kept = 10_000

/**
 * The calls that clients were asked to make since the server started, by their ids. An approval is found in the store as well;
 * another call ends with the process.
 */
export class Issued extends Context.Tag("tollgate/server/openai/Issued")<
  Issued,
  {
    readonly add: (id: string, call: IssuedCall) => void
    readonly find: (id: string) => IssuedCall | undefined
    /** The answer to it has been taken. */
    readonly ended: (id: string) => void
    /** Those of a session, and of one task of it, that have not been answered. */
    readonly waiting: (session: string, task?: string) => ReadonlyArray<readonly [id: string, call: IssuedCall]>
  }
>() {
  static readonly layer: Layer.Layer<Issued> = Layer.sync(Issued, () => {
    const calls = new Map<string, IssuedCall>()
    const over = new Set<string>()
    return {
      add: (id, call) => {
        calls.delete(id)
        calls.set(id, call)
        const [oldest] = calls.keys()
        if (calls.size <= kept || oldest === undefined) return
        calls.delete(oldest)
        over.delete(oldest)
      },
      find: (id) => calls.get(id),
      ended: (id) => {
        if (calls.has(id)) over.add(id)
      },
      waiting: (session, task) =>
        [...calls].filter(
          ([id, call]) => call.session === session && (task === undefined || call.task === task) && !over.has(id)
        )
    }
  })
}
