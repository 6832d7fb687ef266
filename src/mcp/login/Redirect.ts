import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as crypto from "node:crypto"
import * as http from "node:http"
import type * as net from "node:net"
import { systemReason } from "../../system/errno.ts"
import { parsed } from "../../text/Url.ts"

/** What the browser brings back from the authorization server. */
export type Callback =
  | { readonly _tag: "Code"; readonly code: string; readonly iss: string | undefined }
  | { readonly _tag: "Refused"; readonly error: string; readonly iss: string | undefined }

/** Where the browser comes back to, on this machine alone. */
export interface Redirect {
  readonly url: string
  readonly callback: Effect.Effect<Callback>
}

const page = (text: string): string => `<!doctype html><meta charset="utf-8"><title>Tollgate</title><p>${text}</p>\n`

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  connection: "close"
}

const same = (a: string, b: string): boolean => {
  const digest = (text: string) => crypto.createHash("sha256").update(text).digest()
  return crypto.timingSafeEqual(digest(a), digest(b))
}

/** The one value of a parameter. */
const only = (query: URLSearchParams, name: string): string | undefined => {
  const found = query.getAll(name)
  return found.length === 1 && found[0] !== "" ? found[0] : undefined
}

/** An answer that has the state of this login, whatever else it says; anything else is not ours. */
const callbackIn = (query: URLSearchParams, state: string): Callback | undefined => {
  const given = only(query, "state")
  if (given === undefined || !same(given, state)) return undefined
  const iss = only(query, "iss")
  const code = only(query, "code")
  const error = only(query, "error")
  if (["access_token", "id_token", "refresh_token", "token"].some((name) => query.has(name)))
    return { _tag: "Refused", error: "it sent a token in the address", iss }
  if (query.getAll("iss").length > 1) return { _tag: "Refused", error: "it named several issuers", iss: undefined }
  if (code !== undefined && error === undefined) return { _tag: "Code", code, iss }
  return { _tag: "Refused", error: /^[a-z_]{1,40}$/.exec(error ?? "")?.[0] ?? "it gave no usable answer", iss }
}

/** Listens on a port of this machine, a free one for 0, until the scope closes; what does not have the state is ignored. */
export const listen = (
  port: number,
  state: string
): Effect.Effect<Redirect, { readonly reason: string }, Scope.Scope> =>
  Effect.gen(function* () {
    const callback = yield* Deferred.make<Callback>()
    const path = "/callback"
    let own = ""
    const server = http.createServer({ maxHeaderSize: 16 * 1024, requestTimeout: 10_000 }, (request, response) => {
      const answer = (status: number, text: string) => {
        response.writeHead(status, headers)
        response.end(page(text))
      }
      const url = parsed(request.url ?? "", `http://${own}`)
      if (url === undefined || url.pathname !== path || request.headers.host !== own) return answer(404, "Not found.")
      if (request.method !== "GET") return answer(405, "Not allowed.")
      const found = callbackIn(url.searchParams, state)
      if (found === undefined) return answer(400, "This is not the answer to the login that waits.")
      Deferred.unsafeDone(callback, Effect.succeed(found))
      return answer(200, "You can close this page and go back to the terminal.")
    })
    yield* Effect.acquireRelease(
      Effect.async<void, { readonly reason: string }>((resume) => {
        server.once("error", (error) => resume(Effect.fail({ reason: systemReason(error) })))
        server.listen(port, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.async<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    own = `127.0.0.1:${(server.address() as net.AddressInfo).port}`
    return { url: `http://${own}${path}`, callback: Deferred.await(callback) }
  })
