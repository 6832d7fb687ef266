import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as http from "node:http"
import { systemReason } from "../system/errno.ts"
import { type Address, Listening, urlOf } from "./Listening.ts"

/** The address cannot be listened on. */
export class NotListening extends Schema.TaggedError<NotListening>()("NotListening", {
  address: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.address} cannot be listened on: ${this.reason}. Choose another port; 0 takes any that is free.`
  }
}

/** Node's server, with all of its connections closed at the end. */
export const node = ({ host, port }: Address) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const server = http.createServer({ requestTimeout: 60_000, headersTimeout: 15_000 })
      server.maxConnections = 2048
      const ended = Layer.scopedDiscard(Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections())))
      return Layer.provideMerge(
        ended,
        NodeHttpServer.layer(() => server, { host, port })
      )
    })
  ).pipe(
    Layer.catchAll(({ cause }) =>
      Layer.fail(
        new NotListening({
          address: `${host}:${port}`,
          reason: systemReason(cause)
        })
      )
    )
  )

/** Where it listens in the end, and by which names it is asked. */
export const listening = (names: ReadonlyArray<string>, wanted: Address) =>
  Layer.effect(
    Listening,
    Effect.map(HttpServer.HttpServer, ({ address }) => {
      const port = address._tag === "TcpAddress" ? address.port : wanted.port
      const at = { host: wanted.host, port }
      return { ...at, names: names.map((name) => name.toLowerCase()), url: urlOf(at) }
    })
  )
