/** A stretch of a snippet; `hit` where it is what was looked for. */
export interface Piece {
  readonly text: string
  readonly hit: boolean
}

/** The part of a message that shows why it was found, on one line. */
export type Snippet = ReadonlyArray<Piece>

/** What FTS5 puts around hits; made anew for each search, so that no text has them. */
export interface Markers {
  readonly open: string
  readonly close: string
}

/** Markers around a secret of this search. */
export const markers = (secret: string): Markers => ({ open: `\u{fdd0}${secret}`, close: `\u{fdd1}${secret}` })

/** Characters of a snippet, and those of them in front of the first hit. */
const maxLength = 240
const maxBefore = 80

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ")

/** At most so many characters from an end; never half of a pair. */
const first = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/u, "")
const last = (text: string, length: number): string => text.slice(-length).replace(/^[\udc00-\udfff]/u, "")

/** At most 240 characters of the pieces, around the first hit. */
const bounded = (pieces: Snippet): Snippet => {
  const [head, ...others] = pieces
  let left = maxLength
  const cut =
    head !== undefined && !head.hit && others.length > 0 && head.text.length > maxBefore
      ? [{ text: `…${last(head.text, maxBefore)}`, hit: false }, ...others]
      : pieces
  return cut.flatMap(({ hit, text }) => {
    const room = left
    left -= text.length
    if (room <= 0) return []
    return [{ text: text.length <= room ? text : `${first(text, room)}…`, hit }]
  })
}

/** The pieces of what FTS5 has marked. */
export const fromMarked = (marked: string, { close, open }: Markers): Snippet => {
  const pieces = marked.split(open).flatMap((part, at): Snippet => {
    if (at === 0) return [{ text: part, hit: false }]
    const [hit = "", rest = ""] = part.split(close)
    return [
      { text: hit, hit: true },
      { text: rest, hit: false }
    ]
  })
  return bounded(pieces.map(({ hit, text }) => ({ text: oneLine(text), hit })).filter(({ text }) => text !== ""))
}

/** The beginning of a text, or its stretch around the first of the terms that it has. */
export const fromText = (text: string, terms: ReadonlyArray<string>): Snippet => {
  const line = oneLine(text).trim()
  const folded = line.toLowerCase()
  const found = folded.length === line.length ? terms.map((term) => ({ term, at: folded.indexOf(term) })) : []
  const [hit] = found.filter(({ at }) => at >= 0).sort((one, other) => one.at - other.at)
  if (hit === undefined) return bounded([{ text: line, hit: false }])
  const end = hit.at + hit.term.length
  const pieces = [
    { text: line.slice(0, hit.at), hit: false },
    { text: line.slice(hit.at, end), hit: true },
    { text: line.slice(end), hit: false }
  ]
  return bounded(pieces.filter(({ text }) => text !== ""))
}
