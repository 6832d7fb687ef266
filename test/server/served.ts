// @effect-diagnostics asyncFunction:off newPromise:off - a client of a real server
import { Context, Effect, Layer, Redacted, type Scope, Stream } from "effect"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { Host } from "../../src/host/Host.ts"
import type { Models } from "../../src/model/Models.ts"
import type { Approvals } from "../../src/approval/Approvals.ts"
import type { Audit } from "../../src/audit/Audit.ts"
import type { Runtime } from "../../src/runtime/Runtime.ts"
import type { SessionStore } from "../../src/runtime/SessionStore.ts"
import { Limits, type ServerLimits } from "../../src/server/Limits.ts"
import { Listening } from "../../src/server/Listening.ts"
import type { TokenStore } from "../../src/server/TokenStore.ts"
import { PageFolder } from "../../src/server/Page.ts"
import * as Server from "../../src/server/Server.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  /** The body as JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it has asked for
  readonly json: any
}

export interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. */
  readonly raw?: string | Buffer
  /** No token is sent. */
  readonly bare?: boolean
}

/** A frame of a stream, as a browser's `EventSource` would take it. */
export interface Received {
  readonly event: string
  readonly id: string | undefined
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it waits for
  readonly data: any
}

/** A server that runs, with its token. */
export interface Served {
  readonly port: number
  readonly url: string
  readonly token: string
  readonly directory: string
  readonly ask: (path: string, asked?: Asked) => Effect.Effect<Answer>
  /** A response as it comes, whose connection ends with the scope. */
  readonly open: (path: string, asked?: Asked) => Effect.Effect<http.IncomingMessage, never, Scope.Scope>
  readonly frames: (path: string, asked?: Asked) => Stream.Stream<Received>
}

const client = (port: number, token: string): Pick<Served, "ask" | "open" | "frames"> => {
  const start = (target: string, { bare = false, body, headers = {}, method, raw }: Asked = {}) => {
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const request = http.request({
      host: "127.0.0.1",
      port,
      path: target,
      method: method ?? (text === undefined ? "GET" : "POST"),
      agent: false,
      headers: {
        ...(bare ? {} : { authorization: `Bearer ${token}` }),
        ...(text === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        ...headers
      }
    })
    request.end(text)
    return request
  }
  const answered = (request: http.ClientRequest) =>
    new Promise<http.IncomingMessage>((resolve, reject) => {
      request.once("response", resolve)
      request.once("error", reject)
    })
  const open: Served["open"] = (target, asked) =>
    Effect.gen(function* () {
      const request = yield* Effect.acquireRelease(
        Effect.sync(() => start(target, asked)),
        (request) => Effect.sync(() => void request.on("error", () => {}).destroy())
      )
      return yield* Effect.promise(() => answered(request))
    })
  return {
    open,
    ask: (target, asked) =>
      Effect.scoped(
        Effect.flatMap(open(target, asked), (response) =>
          Effect.promise(async () => {
            const chunks: Array<Buffer> = []
            for await (const chunk of response) chunks.push(chunk as Buffer)
            const text = Buffer.concat(chunks).toString()
            const isJson = response.headers["content-type"]?.startsWith("application/json") === true
            return {
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              json: isJson ? (JSON.parse(text) as unknown) : undefined
            }
          })
        )
      ),
    frames: (target, asked) =>
      Stream.unwrapScoped(
        Effect.map(open(target, asked), (response) =>
          Stream.fromAsyncIterable(response as AsyncIterable<Buffer>, (error) => error).pipe(
            Stream.decodeText(),
            Stream.splitLines,
            Stream.catchAll(() => Stream.empty),
            Stream.mapAccum({ event: "message", id: undefined as string | undefined, data: "" }, (now, line) => {
              if (line === "") {
                const done =
                  now.data === "" ? [] : [{ event: now.event, id: now.id, data: JSON.parse(now.data) as unknown }]
                return [{ event: "message", id: undefined, data: "" }, done]
              }
              const [, name = "", value = ""] = /^([^:]*): ?(.*)$/.exec(line) ?? []
              return [name === "event" || name === "id" || name === "data" ? { ...now, [name]: value } : now, []]
            }),
            Stream.flattenIterables
          )
        )
      )
  }
}

export type Provided = Host | Runtime | Approvals | Audit | SessionStore | TokenStore

export interface ServedOptions {
  readonly models: Layer.Layer<Models>
  readonly limits?: Partial<ServerLimits>
  readonly names?: ReadonlyArray<string>
  /** Where all is kept, to begin again with it; a fresh place if unset. */
  readonly base?: string
  /** The port; any that is free if unset. */
  readonly port?: number
  /** The folder of the page; without it there is none. */
  readonly page?: string
}

/** A host and its server on a port of its own, until the scope ends. */
export const served = ({
  base,
  limits = {},
  models,
  names = [],
  page = "",
  port: wanted = 0
}: ServedOptions): Effect.Effect<Served & { readonly context: Context.Context<Provided> }, never, Scope.Scope> =>
  Effect.gen(function* () {
    const home = base ?? (yield* temporaryDirectory)
    const directory = path.join(home, "work")
    fs.mkdirSync(directory, { recursive: true })
    const token = "tg_test-token"
    const usual = yield* Limits
    const layer = Server.layer({
      listen: { host: "127.0.0.1", port: wanted },
      names,
      token: Redacted.make(token)
    }).pipe(
      Layer.provideMerge(
        Host.layer({
          directory,
          env: { PATH: "/usr/bin:/bin", HOME: home, TOLLGATE_HOME: path.join(home, "state") },
          models,
          policy: "ask",
          attended: true
        })
      ),
      Layer.provide([
        Layer.succeed(Limits, { ...usual, requestsPerSecond: 100_000, ...limits }),
        Layer.succeed(PageFolder, page)
      ])
    )
    const context = yield* Layer.build(layer)
    const { port, url } = Context.get(context, Listening)
    return { port, url, token, directory, ...client(port, token), context }
  }).pipe(Effect.orDie)
