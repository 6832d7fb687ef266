import { isPlace, isPlaceName, isReference, trailing } from "./Assigned.ts"
import { mark, markSource } from "./Mark.ts"
import { isAccounts, secretName } from "./SecretName.ts"
import { anyShape, shapeKind } from "./Shapes.ts"
import { scheme } from "./Wording.ts"

/** A stretch of a text that is a secret, end excluded. */
export interface Finding {
  readonly start: number
  readonly end: number
  readonly kind: string
}

/** Whether a decoded text holds a secret. */
export type Holds = (text: string) => boolean

const inShapes = (text: string): ReadonlyArray<Finding> =>
  Array.from(text.matchAll(anyShape), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    kind: shapeKind(match.groups ?? {})
  }))

/** A user alone is a secret only where it is long enough to be a token. */
const minUser = 16

/** A mark, followed only by signs. */
export const masked = new RegExp(String.raw`^${markSource}\W*$`)

const inUrls = (text: string): ReadonlyArray<Finding> =>
  Array.from(text.matchAll(/:(?:\/\/|\\\/\\\/)([^/?#\\]+)/g), (match) => {
    const authority = match[1]!
    const start = match.index + match[0].length - authority.length
    const end = authority.lastIndexOf("@")
    const colon = authority.slice(0, Math.max(0, end)).indexOf(":")
    const from = colon === -1 ? 0 : colon + 1
    return { start: start + from, end: colon === -1 && end < minUser ? 0 : start + end, kind: "url-password" }
  }).filter(({ end, start }) => end > start && !masked.test(text.slice(start, end)))

/** A one-time or session token in a link, which anyone with the link may use. */
const inLinks = (text: string): ReadonlyArray<Finding> => {
  if (!text.includes("=")) return []
  return Array.from(
    text.matchAll(/(?:[?&](?:code|session_?id|sid)|PHPSESSID|JSESSIONID|ASP\.NET_SessionId)=([\w.~%/+-]{16,})/gi),
    (match) => ({
      start: match.index + match[0].length - match[1]!.length,
      end: match.index + match[0].length,
      kind: "token"
    })
  )
}

/** Where a value ends that starts the text: before the next parameter of a query or field of a list. */
const valueEnd = (text: string): number => /&|[,;](?=["\w.-]{1,64}[=:])/.exec(text)?.index ?? text.length

const inAssignments = (text: string): ReadonlyArray<Finding> => {
  const found: Array<Finding> = []
  const sign = /[=:]{1,3}/g
  for (let match = sign.exec(text); match; match = sign.exec(text)) {
    const name = /[\w.$[\]-]+$/.exec(text.slice(Math.max(0, match.index - 80), match.index))?.[0]
    const kind = name === undefined || match[0] === "::" ? undefined : secretName(name)
    if (kind === undefined || isAccounts(text, match.index)) continue
    const start = match.index + match[0].length
    const head = text.slice(start, start + 256)
    const first = head.slice(0, valueEnd(head))
    if (first === "" || scheme.test(first) || isReference(first)) continue
    if (match.index === name?.length && isPlaceName(name) && isPlace(text.slice(start))) continue
    const value = first.length < head.length ? first : text.slice(start, start + valueEnd(text.slice(start)))
    const end = start + value.length - trailing(value)
    if (end > start) found.push({ start, end, kind })
    sign.lastIndex = Math.max(start, end)
  }
  return found
}

const percents = /(?:%[0-9a-f]{2})+/gi

const decode = (text: string): string =>
  text.replaceAll(percents, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8"))

const inPercents = (text: string, holds: Holds): ReadonlyArray<Finding> => {
  if (text.search(percents) === -1) return []
  const encoded = (part: string) => {
    const decoded = decode(part)
    return decoded !== part && (holds(decoded) || (decoded.includes("+") && holds(decoded.replaceAll("+", " "))))
  }
  const parts = Array.from(text.matchAll(/[^?&=#/;,]+/g)).filter((_) => encoded(_[0]))
  if (parts.length === 0) return encoded(text) ? [{ start: 0, end: text.length, kind: "percent-encoded" }] : []
  return parts.map((_) => ({ start: _.index, end: _.index + _[0].length, kind: "percent-encoded" }))
}

const minRun = 20
const base64 = (part: string, holds: Holds): boolean =>
  part.length >= minRun &&
  /[a-z]/.test(part) &&
  /[A-Z]/.test(part) &&
  [0, 1, 2, 3].some((offset) =>
    (
      Buffer.from(part.slice(offset), "base64")
        .toString("latin1")
        .match(/[\t\n\r -~]{10,}/g) ?? []
    ).some(holds)
  )

/** A run may have begun in the path before it, so it is read from every alignment and from every slash. */
const inBase64 = (text: string, holds: Holds): ReadonlyArray<Finding> =>
  Array.from(text.matchAll(/[\w+/-]{20,}/g))
    .filter(([part]) => base64(part, holds) || (part.includes("/") && part.split("/").some((_) => base64(_, holds))))
    .map((match) => ({ start: match.index, end: match.index + match[0].length, kind: "base64" }))

const merge = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const merged: Array<Finding> = []
  for (const finding of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (!last || finding.start >= last.end) merged.push(finding)
    else if (finding.end > last.end) merged[merged.length - 1] = { ...last, end: finding.end }
  }
  return merged
}

/** The secrets in a text without white space and quotes, in order, not overlapping; `holds` is unset if nothing is decoded. */
export const findings = (text: string, holds: Holds | undefined): ReadonlyArray<Finding> => {
  const plain = [...inShapes(text), ...inUrls(text), ...inLinks(text), ...inAssignments(text)]
  return merge(holds ? [...plain, ...inPercents(text, holds), ...inBase64(text, holds)] : plain)
}

/** The text with a mark for every finding. */
export const render = (text: string, found: ReadonlyArray<Finding>): string => {
  let out = ""
  let from = 0
  for (const { end, kind, start } of found) {
    out += text.slice(from, start) + mark(kind)
    from = end
  }
  return out + text.slice(from)
}
