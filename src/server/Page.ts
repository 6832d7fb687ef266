import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as zlib from "node:zlib"
import { NotFound } from "./ApiError.ts"
import { answerOf } from "./answerOf.ts"

/** The folder of the page as it was built. */
export class PageFolder extends Context.Reference<PageFolder>()("tollgate/server/PageFolder", {
  defaultValue: () => path.join(import.meta.dirname, "browser")
}) {}

/** What the page may load, run and reach: what this server has, and nothing else; no text becomes code or markup. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml"
}

interface File {
  readonly type: string
  readonly bytes: Uint8Array
  readonly compressed: Uint8Array
}

/** The files of the page by their names, read once. */
const load = (folder: string): ReadonlyMap<string, File> =>
  new Map(
    fs.readdirSync(folder).flatMap((name): ReadonlyArray<readonly [string, File]> => {
      const type = types[path.extname(name)]
      if (type === undefined) return []
      const bytes = fs.readFileSync(path.join(folder, name))
      return [[name, { type, bytes, compressed: zlib.gzipSync(bytes) }]]
    })
  )

const missing = new NotFound({
  message: "The page is not built; npm run build makes it. The API works without it: see /openapi.json."
})

const respond = ({ bytes, compressed, type }: File, headers: Readonly<Record<string, string>>) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers: asked }) => {
    const packed = /\bgzip\b/.test(asked["accept-encoding"] ?? "")
    return HttpServerResponse.uint8Array(packed ? compressed : bytes, {
      contentType: type,
      headers: { vary: "accept-encoding", ...headers, ...(packed ? { "content-encoding": "gzip" } : {}) }
    })
  })

/** Serves the page and its files, from memory; it needs no token, for it shows nothing before a login. */
export const live = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const folder = yield* PageFolder
    const files = yield* Effect.cached(Effect.option(Effect.try(() => load(folder))))
    const file = (name: string) =>
      Effect.map(files, (found) => (found._tag === "Some" ? found.value.get(name) : undefined))
    yield* router.get(
      "/",
      Effect.flatMap(file("index.html"), (found) =>
        found === undefined
          ? Effect.succeed(answerOf(missing))
          : respond(found, { "content-security-policy": policy, "cache-control": "no-cache" })
      )
    )
    yield* router.get(
      "/assets/:name",
      Effect.gen(function* () {
        const { name = "" } = yield* HttpRouter.params
        const found = name === "index.html" ? undefined : yield* file(name)
        if (found === undefined) return answerOf(new NotFound({ message: "There is no such file." }))
        return yield* respond(found, { "cache-control": "public, max-age=31536000, immutable" })
      })
    )
  })
)
