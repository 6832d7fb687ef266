import * as http from "node:http"
import { deny, type Verdict } from "../Verdict.ts"
import { acceptEncoding } from "./Body.ts"

export type RequestHeaders = Readonly<Record<string, string>>

/** What any host may be told; everything else a caller sends stays with the origin it was meant for. */
const impersonal = new Set(["accept", "accept-language", "user-agent"])

const reserved =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-length|accept-encoding|proxy-.*)$/

const base: RequestHeaders = {
  accept: "text/markdown, text/html, text/plain, application/json, */*;q=0.5",
  "user-agent": "tollgate"
}

const valid = (name: string, value: string): boolean => {
  try {
    http.validateHeaderName(name)
    http.validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

/** Headers that name the host, the connection or the framing are not a caller's to set. */
export const judgeHeaders = (headers: RequestHeaders): Verdict | undefined => {
  const wrong = Object.entries(headers).find(
    ([name, value]) => reserved.test(name.toLowerCase()) || !valid(name, value)
  )
  return wrong && deny("network/request-header", `the request header ${JSON.stringify(wrong[0])} must not be set`)
}

/** What is sent: the caller's over our own, names in lower case. */
export const requestHeaders = (headers: RequestHeaders): RequestHeaders => ({
  ...base,
  ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  "accept-encoding": acceptEncoding
})

/** What may go along to another origin. */
export const withoutCredentials = (headers: RequestHeaders): RequestHeaders =>
  requestHeaders(Object.fromEntries(Object.entries(headers).filter(([name]) => impersonal.has(name))))
