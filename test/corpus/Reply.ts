import * as Schema from "effect/Schema"
import type { ServerResponse } from "node:http"
import { Readable } from "node:stream"
import * as zlib from "node:zlib"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** What a server answers; more may be said of it than is understood. */
export const Reply = Schema.Struct(
  {
    status: optional(Schema.Int.pipe(Schema.between(200, 599))),
    headers: optional(Schema.Record({ key: Schema.String, value: Schema.String })),
    body: optional(Schema.String),
    /** Whatever it says, nobody vouches for the server's certificate. */
    tls: optional(Schema.String),
    generator: optional(
      Schema.Literal(
        "bytes",
        "gzip",
        "deflate",
        "br",
        "brotli",
        "endless-headers",
        "endless-body",
        "drip",
        "slow-drip",
        "hang"
      )
    ),
    /** Bytes that are sent, or that come out of what is sent; a gibibyte where both are absent. */
    size: optional(Schema.NonNegativeInt),
    decoded: optional(Schema.NonNegativeInt)
  },
  Schema.Record({ key: Schema.String, value: Schema.Unknown })
)
export type Reply = typeof Reply.Type

const block = Buffer.alloc(64 * 1024, "a")

/** `size` bytes, made as they are read. */
const bytes = (size: number): Readable => {
  let left = size
  return new Readable({
    read() {
      const count = Math.min(left, block.length)
      left -= count
      this.push(count === 0 ? null : block.subarray(0, count))
    }
  })
}

const send = (response: ServerResponse, source: Readable, encoding?: string): void => {
  response.writeHead(200, { "content-type": "text/plain", ...(encoding && { "content-encoding": encoding }) })
  source.pipe(response)
  response.once("close", () => source.destroy())
}

/** Writes to the socket until it is closed, without regard for HTTP. */
const forever = (response: ServerResponse, opening: string, piece: string): void => {
  const { socket } = response
  socket?.write(opening)
  const pump = () => {
    if (socket?.destroyed === false) socket.write(piece, () => setImmediate(pump))
  }
  pump()
}

const compressors = {
  gzip: zlib.createGzip,
  deflate: zlib.createDeflate,
  br: () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })
}

/** Answers as the case says. */
export const answer = (reply: Reply, response: ServerResponse): void => {
  const size = reply.decoded ?? reply.size ?? 1 << 30
  switch (reply.generator) {
    case undefined:
      response.writeHead(reply.status ?? 200, { "content-type": "text/plain", ...reply.headers })
      return void response.end(reply.body ?? "ok")
    case "bytes":
      return send(response, bytes(size))
    case "gzip":
      return send(response, bytes(size).pipe(compressors.gzip()), "gzip")
    case "deflate":
      return send(response, bytes(size).pipe(compressors.deflate()), "deflate")
    case "br":
    case "brotli":
      return send(response, bytes(size).pipe(compressors.br()), "br")
    case "endless-headers":
      return forever(response, "HTTP/1.1 200 OK\r\n", "x-more: yes\r\n")
    case "endless-body":
      return forever(response, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "5\r\nhello\r\n")
    case "drip":
    case "slow-drip":
      return forever(response, "HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n", "a")
    case "hang":
      return
  }
}
