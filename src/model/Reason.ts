import * as Redacted from "effect/Redacted"
import { makeVisible } from "../text/visible.ts"

/** Whose answer it is, for errors to name; `secrets` are what no reason may repeat. */
export interface Origin {
  readonly model: string
  readonly url?: string | undefined
  readonly secrets: ReadonlyArray<Redacted.Redacted>
}

/** The part of an origin that an error may show. */
export const named = (origin: Origin) =>
  origin.url === undefined ? { model: origin.model } : { model: origin.model, url: origin.url }

const shortestSecret = 4

/** One visible line of at most `limit` characters without any of the origin's secrets. */
export const oneLine = (origin: Origin, text: string, limit = 300): string => {
  let line = text
  for (const secret of origin.secrets) {
    const value = Redacted.value(secret)
    if (value.length >= shortestSecret) line = line.replaceAll(value, "<redacted>")
  }
  line = makeVisible(line.replace(/\s+/gu, " ").trim())
  return line.length <= limit ? line : `${line.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "")}…`
}

const property = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && key in value ? (value as Record<string, unknown>)[key] : undefined

/** The innermost of nested causes, and of the two stacks of localhost. */
const innermost = (cause: unknown): unknown => {
  let current = cause
  for (let depth = 0; depth < 5; depth++) {
    const errors = property(current, "errors")
    const inner = Array.isArray(errors) ? errors[0] : property(current, "cause")
    if (typeof inner !== "object" || inner === null) break
    current = inner
  }
  return current
}

/** Whether the certificate of a server was refused, by the code of the system's error: asking again changes nothing. */
export const isCertificateRefused = (cause: unknown): boolean =>
  /CERT|^UNABLE_TO_VERIFY/.test(String(property(innermost(cause), "code") ?? ""))

/** System error codes in words for a person who looks for a network fault. */
const meanings: Readonly<Record<string, string>> = {
  ENOTFOUND: "the host was not found",
  EAI_AGAIN: "the host name could not be resolved",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed",
  EPIPE: "the connection was closed",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached"
}

/** What a thrown thing says of itself, with the system's error code; looks through causes and the two stacks of localhost. */
export const ofCause = (origin: Origin, cause: unknown): string => {
  const current = innermost(cause)
  const message = property(current, "message")
  const code = property(current, "code")
  if (typeof code === "string" && Object.hasOwn(meanings, code)) return `${meanings[code]} (${code})`
  const text = typeof message === "string" && message !== "" ? message : String(current)
  return oneLine(origin, typeof code === "string" && !text.includes(code) ? `${text} (${code})` : text)
}
