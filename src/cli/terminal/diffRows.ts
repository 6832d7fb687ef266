import { diffWordsWithSpace } from "diff"
import type { DiffSize } from "../../tool/ToolEvent.ts"
import { unquoted } from "../../text/quotedName.ts"
import { visibleLine } from "../../text/visible.ts"
import type { Diff } from "../../ui/Display.ts"
import { pieces } from "./pieces.ts"
import type { Style } from "./Style.ts"

/** One row of a diff, and the line of the diff that it is part of. */
export interface DiffRow {
  readonly text: string
  readonly line: number
}

export interface DiffRowsOptions {
  readonly width: number
  readonly style: Style
  /** Names the files; a caller that has named the only one leaves it out. Default: true. */
  readonly names?: boolean
}

type Sign = " " | "-" | "+"

interface Changed {
  readonly kind: "changed"
  readonly sign: Sign
  readonly number: number
  readonly text: string
}

/** A line as what it is in the diff; what is in no hunk is `other`. */
type Parsed =
  | Changed
  | { readonly kind: "name" | "hunk" | "remark" | "other"; readonly text: string }
  | { readonly kind: "nothing" }

const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/

/** A name in quotes as it is, on one line; what stands in none has been made visible. */
const bare = (name: string): string => {
  const read = unquoted(name)
  const own = read.replace(/^[ab]\//, "")
  return read === name ? own : visibleLine(own)
}

/** What the two lines that name a file say. */
const nameOf = (before: string, after: string): string => {
  const [old, now] = [before.slice(4).replace(/\t.*$/, ""), after.slice(4).replace(/\t.*$/, "")]
  if (old === "/dev/null") return `${bare(now)} (new)`
  if (now === "/dev/null") return `${bare(old)} (deleted)`
  return bare(old) === bare(now) ? bare(now) : `${bare(old)} → ${bare(now)}`
}

/** Reads a diff by the counts of its hunks: a changed line that looks like a header is none. */
const parse = (lines: ReadonlyArray<string>): ReadonlyArray<Parsed> => {
  let [before, after] = [0, 0]
  let [old, now] = [0, 0]
  let hunks = 0
  return lines.map((line, index): Parsed => {
    const sign = line === "" ? " " : line[0]
    const text = line.slice(1)
    if (sign === "-" && old > 0) {
      old--
      return { kind: "changed", sign, number: before++, text }
    }
    if (sign === "+" && now > 0) {
      now--
      return { kind: "changed", sign, number: after++, text }
    }
    if (sign === " " && old > 0 && now > 0) {
      old--
      now--
      before++
      return { kind: "changed", sign, number: after++, text }
    }
    if (sign === "\\" && hunks > 0) return { kind: "remark", text: line }
    const found = hunk.exec(line)
    if (found !== null) {
      ;[before, after] = [Number(found[1]), Number(found[3])]
      ;[old, now] = [Number(found[2] ?? 1), Number(found[4] ?? 1)]
      const section = found[5] ?? ""
      return hunks++ === 0 && section === "" ? { kind: "nothing" } : { kind: "hunk", text: section }
    }
    if (line.startsWith("--- ") && lines[index + 1]?.startsWith("+++ ") === true) return { kind: "nothing" }
    if (line.startsWith("+++ ") && lines[index - 1]?.startsWith("--- ") === true) {
      hunks = 0
      return { kind: "name", text: nameOf(lines[index - 1]!, line) }
    }
    return { kind: "other", text: line }
  })
}

/** Characters of a line, and pairs of lines, that are compared by words. */
const wordsLimit = 400
const pairLimit = 200
/** Lines of which less is the same are two lines rather than one that changed. */
const alike = 0.4

/** A range of characters. */
type Span = readonly [from: number, to: number]

const spansOf = (before: string, after: string): readonly [Array<Span>, Array<Span>] | undefined => {
  const removed: Array<Span> = []
  const added: Array<Span> = []
  let [old, now, same] = [0, 0, 0]
  for (const part of diffWordsWithSpace(before, after)) {
    const { length } = part.value
    if (part.removed) removed.push([old, (old += length)])
    else if (part.added) added.push([now, (now += length)])
    else {
      old += length
      now += length
      same += length
    }
  }
  return same >= alike * Math.max(before.length, after.length) ? [removed, added] : undefined
}

/** The changed words of lines that were replaced one by one. */
const changedWords = (lines: ReadonlyArray<Parsed>): ReadonlyMap<number, ReadonlyArray<Span>> => {
  const found = new Map<number, ReadonlyArray<Span>>()
  const isSign = (index: number, sign: Sign) => {
    const line = lines[index]
    return line?.kind === "changed" && line.sign === sign
  }
  let pairs = 0
  for (let index = 0; index < lines.length;) {
    let removed = index
    while (isSign(removed, "-")) removed++
    let added = removed
    while (isSign(added, "+")) added++
    const count = removed - index
    if (count > 0 && count === added - removed) {
      for (let at = 0; at < count && pairs < pairLimit; at++, pairs++) {
        const [before, after] = [lines[index + at] as Changed, lines[removed + at] as Changed]
        if (Math.max(before.text.length, after.text.length) > wordsLimit) continue
        const spans = spansOf(before.text, after.text)
        if (spans === undefined) continue
        found.set(index + at, spans[0])
        found.set(removed + at, spans[1])
      }
    }
    index = Math.max(index + 1, added)
  }
  return found
}

/** A piece that begins at `from` of its line, the spans in it reversed. */
const marked = (piece: string, from: number, spans: ReadonlyArray<Span>, style: Style): string => {
  let out = ""
  let at = 0
  for (const [begin, end] of spans) {
    const [first, last] = [Math.max(at, begin - from), Math.min(piece.length, end - from)]
    if (last <= first) continue
    out += piece.slice(at, first) + style.inverse(piece.slice(first, last))
    at = last
  }
  return out + piece.slice(at)
}

const paintOf = (sign: Sign, style: Style) => (sign === "-" ? style.red : sign === "+" ? style.green : style.dim)

/**
 * The lines of a unified diff as rows no wider than `width`: the number of the line, its sign and all of its text, where it
 * takes more rows these behind `↳`. The lines must have been made visible.
 */
export const diffRows = (
  lines: ReadonlyArray<string>,
  { names = true, style, width }: DiffRowsOptions
): ReadonlyArray<DiffRow> => {
  const parsed = parse(lines)
  const words = changedWords(parsed)
  const most = parsed.reduce((most, line) => (line.kind === "changed" ? Math.max(most, line.number) : most), 0)
  const digits = String(most).length
  const room = Math.max(2, width - digits - 3)
  const blank = " ".repeat(digits)
  const rows = (
    line: number,
    number: string,
    sign: string,
    text: string,
    paint: (text: string) => string,
    spans: ReadonlyArray<Span> = []
  ): ReadonlyArray<DiffRow> => {
    let from = 0
    return pieces(text, room).map((piece, index) => {
      const head = index === 0 ? `${number} │` : `${blank} ↳`
      const body = paint(`${index === 0 ? sign : " "}${marked(piece, from, spans, style)}`)
      from += piece.length
      return { text: `${style.dim(head)}${body}`, line }
    })
  }
  return parsed.flatMap((one, line) => {
    switch (one.kind) {
      case "changed":
        return rows(
          line,
          String(one.number).padStart(digits),
          one.sign,
          one.text,
          paintOf(one.sign, style),
          words.get(line)
        )
      case "name":
        return names ? rows(line, blank, " ", one.text, style.bold) : []
      case "hunk":
        return [
          { text: style.dim(`${blank} ⋮`), line },
          ...(one.text === "" ? [] : rows(line, blank, " ", one.text, style.cyan))
        ]
      case "remark":
      case "other":
        return rows(line, blank, " ", one.text, style.dim)
      case "nothing":
        return []
    }
  })
}

/** A diff, or its beginning with the size of the whole. */
export type Sized = Pick<Diff, "text" | "size">

/** How many lines a diff adds and removes. */
export const diffSize = ({ size, text }: Sized): DiffSize => {
  if (size !== undefined) return size
  const signs = parse(text.split("\n")).flatMap((line) => (line.kind === "changed" ? [line.sign] : []))
  return { added: signs.filter((sign) => sign === "+").length, removed: signs.filter((sign) => sign === "-").length }
}
