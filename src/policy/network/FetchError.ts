import * as Schema from "effect/Schema"
import type { Verdict } from "../Verdict.ts"
import * as Url from "../../text/Url.ts"
import { duration } from "../../text/duration.ts"

/** A URL as an error may show it: without user information, query and fragment, which may hold secrets. */
export const shown = (url: string): string => {
  const read = Url.parsed(url)
  if (read === undefined) return "the URL"
  const { host, pathname, protocol } = read
  const text = `${protocol}//${host}${pathname}`
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** The network rules do not let the URL, one of its addresses, a redirect or the answer's encoding through. */
export class FetchRefused extends Schema.TaggedError<FetchRefused>()("FetchRefused", {
  url: Schema.String,
  /** The stable id of the rule, e.g. `network/private-address`. */
  rule: Schema.String,
  reason: Schema.String
}) {
  static readonly from = (url: string, verdict: Verdict) =>
    new FetchRefused({ url: shown(url), rule: verdict.rule, reason: verdict.reason })

  override get message() {
    return `Refused to fetch ${this.url}: ${this.reason} (${this.rule})`
  }
}

/** An allowed fetch did not come to an end. */
export class FetchFailed extends Schema.TaggedError<FetchFailed>()("FetchFailed", {
  url: Schema.String,
  /** How far it came. */
  stage: Schema.Literal("resolve", "connect", "headers", "body"),
  reason: Schema.String,
  cause: Schema.optionalWith(Schema.Defect, { exact: true })
}) {
  override get message() {
    return `Could not fetch ${this.url}: ${this.reason}`
  }
}

/** The server is there and has no time; it may say when it will have. */
export class FetchDeferred extends Schema.TaggedError<FetchDeferred>()("FetchDeferred", {
  url: Schema.String,
  status: Schema.Number,
  retryAfterMillis: Schema.optionalWith(Schema.Number, { exact: true })
}) {
  readonly retryable = true
  override get message() {
    const again = this.retryAfterMillis === undefined ? "later" : `in ${duration(this.retryAfterMillis)}`
    return `${this.url} answered HTTP ${this.status}: the server is busy. Try again ${again}.`
  }
}
