import { logLine } from "../../src/redaction/logLine.ts"
import { make, redactText } from "../../src/redaction/Redactor.ts"

const redactor = make()

const mark = /\[redacted-[a-z0-9-]+\]/

/** The parts of a text that marks stand for; undefined where something else has changed as well. */
const hiddenParts = (text: string, redacted: string): ReadonlyArray<string> | undefined => {
  const [first = "", ...kept] = redacted.split(mark)
  if (!text.startsWith(first)) return undefined
  const parts: Array<string> = []
  let from = first.length
  for (const [index, piece] of kept.entries()) {
    const to = index === kept.length - 1 ? text.length - piece.length : text.indexOf(piece, from + 1)
    if (to <= from || text.slice(to, to + piece.length) !== piece) return undefined
    parts.push(text.slice(from, to))
    from = to + piece.length
  }
  return parts
}

/** A mark in the middle of a word leaves a part of the secret. */
const cutThrough = /[\p{L}\p{N}]\[redacted-|\[redacted-[a-z0-9-]+\][\p{L}\p{N}]/u

/** The same text where it may turn up. */
const spellings = (text: string): Readonly<Record<string, string>> => {
  const bytes = Buffer.from(text)
  return {
    "in a sentence": `before ${text} after`,
    "in JSON": JSON.stringify({ text }),
    "percent-encoded in a URL": `https://host.example/p?x=1&d=${encodeURIComponent(text)}&y=2`,
    "percent-encoded throughout": `https://host.example/${[...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")}`,
    "in base64 in a URL": `https://host.example/p?d=${bytes.toString("base64")}`,
    "in base64 in a path": `https://host.example/path/${bytes.toString("base64url")}/x`
  }
}

/** Whether a text holds another one, decoded if need be. */
const holds = (shown: string, secret: string): boolean => {
  if (shown.includes(secret)) return true
  const decoded = shown.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return (
    decoded.includes(secret) ||
    shown
      .split(/[^\w+/-]/)
      .some((part) =>
        [0, 1, 2, 3].some((offset) => Buffer.from(part.slice(offset), "base64").toString("latin1").includes(secret))
      )
  )
}

/** Cuts that are tried; every one of a text that is no longer. */
const maxCuts = 512

const cutWrongly = (text: string, redacted: string): number | undefined => {
  const step = Math.max(1, Math.ceil(text.length / maxCuts))
  for (let cut = 0; cut <= text.length; cut += step) {
    const stream = redactor.stream()
    const shown = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.flush()
    if (shown !== redacted) return cut
  }
  return undefined
}

/** Characters of a text that is read in every spelling. */
const maxSecret = 16 * 1024

/** Where the secret of a text, or whatever is masked of it, can still be read; undefined where it is nowhere. */
export const unmasked = (text: string, known?: string): string | undefined => {
  if (text.length > maxSecret) return `it is longer than the ${maxSecret} characters that are tried here`
  const redacted = redactText(text)
  if (redacted === text) return "it is not masked"
  const secrets = known === undefined ? hiddenParts(text, redacted) : [known]
  if (secrets === undefined || (known === undefined && cutThrough.test(redacted)))
    return `it is masked in part: ${redacted}`
  for (const [where, spelling] of Object.entries(spellings(text))) {
    const shown = redactText(spelling)
    if (secrets.some((secret) => holds(shown, secret))) return `it can be read ${where}`
  }
  const places = {
    "a record of the log": logLine({ message: text }),
    "the message of an error": JSON.stringify(
      redactor.json({ error: new Error(`failed with ${text}`), deep: [{ text }] })
    )
  }
  for (const [where, shown] of Object.entries(places)) {
    if (secrets.some((secret) => shown.includes(JSON.stringify(secret).slice(1, -1))))
      return `it can be read in ${where}`
  }
  const cut = cutWrongly(text, redacted)
  return cut === undefined ? undefined : `it can be read where a stream is cut after character ${cut}`
}
