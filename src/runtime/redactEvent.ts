import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { requestApproval } from "../agent/approvalMessage.ts"
import { isImage } from "../conversation/Image.ts"
import { plainId } from "../redaction/plainId.ts"
import type { RedactorShape } from "../redaction/Redactor.ts"
import { asTold, isTold } from "../redaction/told.ts"
import type { DurableEvent } from "./Event.ts"

/** By these, later steps find a call, a message, a request or what was agreed on: they stay what they are. */
const links = new Set([
  "_tag",
  "id",
  "callId",
  "tool_call_id",
  "approvalId",
  "requestId",
  "commandId",
  "grantId",
  "sessionId",
  "digest",
  "baseHash"
])

/** What a call does, or has done: all that acts in it stays. */
const deeds = new Set(["arguments", "parameters", "command", "diff"])

/** What a backend must get back unchanged: whole or not at all. */
const sealed = "provider"

type Entry = readonly [name: string, value: unknown]

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** A text to approve keeps everything that could run. */
const forApproval = (redactor: RedactorShape): RedactorShape => {
  const text = (given: string) => redactor.shown(given).text
  const json = (value: unknown) => redactor.shownJson(value).value
  return { ...redactor, jsonText: text, json, deed: text, deedJson: json }
}

const Arguments = Schema.parseJson(Schema.Object)

/** The arguments of a call as JSON text; those that are none run nothing. */
const called = (owner: object, text: string, redactor: RedactorShape): string => {
  const told = plain(text, redactor)
  if (told === text) return text
  return Option.match(Schema.decodeUnknownOption(Arguments)(text), {
    onNone: () => told,
    onSome: (value) => {
      const isRequest = "name" in owner && owner.name === requestApproval
      return JSON.stringify(isRequest ? redact(value, forApproval(redactor)) : redactor.deedJson(value))
    }
  })
}

/** What a call does, or has done. */
const deed = (owner: object, name: string, value: unknown, redactor: RedactorShape): unknown => {
  if (typeof value === "string") {
    if (name === "arguments") return called(owner, value, redactor)
    return plain(value, redactor) === value ? value : redactor.deed(value)
  }
  if (!isObject(value)) return value
  return name === "diff" ? redact(value, { ...redactor, jsonText: redactor.deed }) : redactor.deedJson(value)
}

const field = (owner: object, name: string, value: unknown, redactor: RedactorShape): unknown => {
  if (name === "approvals") return redact(value, forApproval(redactor))
  if (name === "request" && "_tag" in owner && owner._tag === "ApprovalRequested")
    return redact(value, forApproval(redactor))
  // Bytes of an image are no text; a letter changed in them would break it.
  if (name === "data" && "mediaType" in owner && isImage(owner)) return value
  if (links.has(name) || ("approvals" in owner && name === "task")) return value
  if (deeds.has(name)) return deed(owner, name, value, redactor)
  return name === "data" && isObject(value) ? redactor.json(value) : redact(value, redactor)
}

const plain = (text: string, redactor: RedactorShape): string =>
  (text.length > long ? take(text, redactor) : undefined) ?? redactor.jsonText(text)

/** The value without secrets, itself where it has none. */
const redact = (value: unknown, redactor: RedactorShape): unknown => {
  if (typeof value === "string") return plain(value, redactor)
  if (!isObject(value)) return value
  if (Array.isArray(value)) {
    const items: ReadonlyArray<unknown> = value.map((item) => redact(item, redactor))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  const entries = Object.entries(value)
  const told = entries.map(([name, old]): Entry => [name, field(value, name, old, redactor)])
  if (told.every(([, now], index) => now === entries[index]?.[1])) return value
  return Object.fromEntries(told.filter(([name, now], index) => name !== sealed || now === entries[index]?.[1]))
}

/** What comes from elsewhere, in whose links a secret may stand: each is still the same wherever it was the same. */
export const withPlainLinks = <A>(value: A, redactor: RedactorShape): A => {
  if (Array.isArray(value)) return value.map((item: unknown) => withPlainLinks(item, redactor)) as A
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: Entry) => [
      name,
      links.has(name) && typeof one === "string" ? plainId(redactor, one) : withPlainLinks(one, redactor)
    ])
  ) as A
}

/** Characters of a text that is redacted in slices. */
const long = 64 * 1024

/** Redacted long texts, until their events are published. */
const ahead = new WeakMap<RedactorShape, Map<string, string>>()
const maxAhead = 8

const take = (text: string, redactor: RedactorShape): string | undefined => {
  const known = ahead.get(redactor)
  const told = known?.get(text)
  known?.delete(text)
  return told
}

const longTexts = (value: unknown, found: Array<string> = []): ReadonlyArray<string> => {
  if (typeof value === "string") {
    if (value.length > long) found.push(value)
  } else if (isObject(value) && !("mediaType" in value && isImage(value))) {
    for (const one of Object.values(value)) longTexts(one, found)
  }
  return found
}

/** Whether an event has texts that are to be redacted beforehand. */
export const hasLongText = (event: DurableEvent): boolean => !isTold(event) && longTexts(event).length > 0

/** Redacts the long texts of an event beforehand; `redactEvent` is then fast. */
export const redactAhead = (event: DurableEvent, redactor: RedactorShape): Effect.Effect<void> =>
  Effect.suspend(() => {
    const texts = longTexts(event)
    if (texts.length === 0) return Effect.void
    const known = ahead.get(redactor) ?? new Map<string, string>()
    ahead.set(redactor, known)
    return Effect.forEach(
      texts.filter((text) => !known.has(text)),
      (text) =>
        Effect.map(redactor.jsonSliced(text), (told) => {
          if (known.size >= maxAhead) known.clear()
          known.set(text, told)
        }),
      { discard: true }
    )
  })

/**
 * The event without the secrets in any of its texts. All that is stored, shown, exported or sent to a model comes from
 * here; a call itself runs with its real arguments.
 */
export const redactEvent = <E extends DurableEvent>(event: E, redactor: RedactorShape): E => {
  return isTold(event) ? event : asTold(redact(event, redactor) as E)
}
