import { acting, maskRuns } from "./Acting.ts"
import type { ExactValues } from "./ExactValues.ts"
import { lex } from "./Lexer.ts"
import { mark, markSource } from "./Mark.ts"
import { type JsonRules, redactJsonWith } from "./RedactJson.ts"
import type { Reader } from "./Reader.ts"
import { anyShape, shapeKind } from "./Shapes.ts"

/** A text for the person who approves it, and how many places are masked. */
export interface Shown {
  readonly text: string
  readonly masked: number
}

/** The same, and marks that are there already. */
const breaks = new RegExp(`(${markSource}|${acting.source.slice(1, -1)})`)

const marks = new RegExp(markSource, "g")

const count = (text: string): number => text.match(marks)?.length ?? 0

/** Shortest part of a hash that is covered between its dollars. */
const hashes = /[^$]{16,}/g

/** Known shapes that a character that acts belongs to, such as `$2b$10$…`. */
const maskHashes = (text: string): string =>
  text.replaceAll(anyShape, (found: string, ...rest: ReadonlyArray<unknown>) =>
    found.includes("$")
      ? found.replaceAll(hashes, mark(shapeKind(rest.at(-1) as Readonly<Record<string, string | undefined>>)))
      : found
  )

const heading = /-----BEGIN [^-]{0,60}PRIVATE[^-]{0,40}-----|Private-Lines: \d{1,3}/
const footing = /-----END |Private-MAC:/

/** Lines after a heading in which a key is looked for. */
const maxKeyLines = 512

const keyRuns = /(\\[nrt]|^[-+])?([A-Za-z0-9+/]{2,}={1,2}(?=\s*$|\\|["'])|[A-Za-z0-9+/]{16,})/g

/** Whether a run of the alphabet of base64 is a line of a key rather than a path or a word. */
const isKeyRun = (run: string): boolean =>
  /[a-z]/.test(run) && /[A-Z]/.test(run) && /[\d+/]|^MI/.test(run) && (!run.startsWith("/") || run.length >= 40)

/** Whether small letters, capitals and digits follow on each other as in random bytes, which words of several do not. */
const isMixed = (run: string): boolean => {
  const kinds = run.replaceAll(/[+/=]/g, "").replaceAll(/[a-z]/g, "a").replaceAll(/[A-Z]/g, "A").replaceAll(/\d/g, "0")
  return 4 * (kinds.match(/(.)(?!\1|$)/g)?.length ?? 0) >= run.length
}

/** The same of a run behind a line of a key: a last line is short, and may have neither a digit nor a sign. */
const isNextRun = (run: string): boolean =>
  run.endsWith("=") || isKeyRun(run) || (!run.startsWith("/") && run.length >= 16 && isMixed(run))

/** Masks private keys line by line, and of a line only what is written in the alphabet of a key. */
const maskKeys = (text: string): string => {
  if (!heading.test(text)) return text
  let left = 0
  let inside = false
  const body = (part: string): string =>
    part.replaceAll(keyRuns, (whole: string, lead: string | undefined, run: string) => {
      if (inside ? !isNextRun(run) : run.length < 16 || !isKeyRun(run)) return whole
      inside = true
      return (lead ?? "") + mark("private-key")
    })
  const line = (whole: string): string => {
    if (left === 0) {
      const start = heading.exec(whole)
      if (start === null) return whole
      left = maxKeyLines
      inside = false
      const at = start.index + start[0].length
      return whole.slice(0, at) + line(whole.slice(at))
    }
    left--
    const end = whole.search(footing)
    if (end === -1) return body(whole)
    left = 0
    return body(whole.slice(0, end)) + line(whole.slice(end))
  }
  return text.split("\n").map(line).join("\n")
}

/**
 * For each character whether a shell surely reads it within quotes, as far as that can be told without parsing: nothing
 * behind a substitution, a document or an ANSI-C string counts.
 */
const quoted = (text: string): ((index: number) => boolean) => {
  const places: Array<readonly [from: number, to: number]> = []
  let open: { readonly sign: string; readonly at: number } | undefined
  let last = 0
  for (let i = 0; i < text.length; last = ++i) {
    const at = text.charAt(i)
    const next = text.charAt(i + 1)
    if (open?.sign !== "'" && (at === "`" || (at === "$" && /['"({]/.test(next)) || (at === "<" && next === "<"))) break
    if (at === "\\" && open?.sign !== "'") i++
    else if (open !== undefined) {
      if (at !== open.sign) continue
      places.push([open.at, i])
      open = undefined
    } else if (at === "#" && (i === 0 || /[\s;&|()]/.test(text.charAt(i - 1)))) {
      const end = text.indexOf("\n", i)
      if (end === -1) break
      i = end
    } else if (at === "'" || at === '"') open = { sign: at, at: i }
  }
  if (open !== undefined && last < text.length) places.push([open.at, last])
  let next = 0
  return (index) => {
    while (next < places.length && places[next]![1] < index) next++
    const place = places[next]
    return place !== undefined && place[0] < index
  }
}

/** Reads each part between acting characters alone: no secret spans one or leaves its word. */
const maskLooks = (text: string, reader: Reader): Shown => {
  const within = quoted(text)
  let out = ""
  let masked = 0
  let at = 0
  const read = (run: string): void => {
    let start = 0
    for (let next = lex(run, 0, true); next && start < run.length; next = lex(run, start, true)) {
      const lexeme = run.slice(start, next.end)
      if (next.kind === "space" && !within(at + start)) reader.expose()
      const { length, shown } =
        next.kind === "quote" && reader.amid(lexeme)
          ? { length: lexeme.length, shown: lexeme }
          : reader.read(next.kind, lexeme)
      const read = lexeme.slice(0, length)
      if (shown !== read && shown !== "") masked += Math.max(1, count(shown) - count(read))
      out += shown
      start += length
    }
  }
  for (const [index, part] of text.split(breaks).entries()) {
    if (index % 2 === 0) read(part)
    else if (part.length > 1) {
      reader.amid(part)
      out += part
    } else {
      reader.expose()
      if (/[\n\r\u2028\u2029]/.test(part)) reader.read("newline", part)
      else if (part === "<" || part === ">") reader.read("angle", part)
      else reader.stop()
      out += part
    }
    at += part.length
  }
  return { text: out, masked }
}

/**
 * The text for a person or a program that approves it. Unlike in a log, all that could run is there: a mark stands for no
 * character that acts and no line break, for no more than a word unless a shell reads it in quotes, and of a private key
 * for what is written in its alphabet.
 */
export const shownWith = (text: string, exact: ExactValues, reader: Reader): Shown => {
  const known = exact.isEmpty ? text : exact.replaceWith(text, (value) => maskRuns("secret", value))
  const plain = maskKeys(maskHashes(known))
  const { masked, text: shown } = maskLooks(plain, reader)
  return { text: shown, masked: masked + count(plain) - count(text) }
}

/** Levels and values that are shown; what calls have is bounded long before. */
const depth = 512
const values = 1_000_000

export interface ShownJson {
  readonly value: unknown
  readonly masked: number
  /** Nothing was left out for its depth or its number. */
  readonly whole: boolean
}

/** The same for a value whose texts have names; of one that only its name tells, all from the first character that acts is there. */
export const shownJsonWith = (show: (text: string) => Shown, root: unknown): ShownJson => {
  let masked = 0
  let whole = true
  const omit = () => {
    whole = false
  }
  const told = (text: string): string => {
    const shown = show(text)
    masked += shown.masked
    return shown.text
  }
  const rules = (depth: number): JsonRules => ({
    depth,
    values,
    omit,
    key: told,
    secret: (kind, value, left) =>
      typeof value === "object"
        ? redactJsonWith((text) => covered(kind, text), value, rules(left))
        : covered(kind, String(value))
  })
  const covered = (kind: string, text: string): string => {
    const at = text.search(acting)
    if (at === 0) return told(text)
    masked += 1
    return mark(kind) + (at === -1 ? "" : told(text.slice(at)))
  }
  return { value: redactJsonWith(told, root, rules(depth)), masked, whole }
}
