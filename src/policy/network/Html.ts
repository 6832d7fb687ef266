import { Tokenizer, type TokenizerCallbacks } from "htmlparser2"
import { ownValue } from "../../text/ownValue.ts"

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "))

/** Elements with a meaning in Markdown; of any other only the content is kept. */
const kept = set(
  "a article b blockquote br code dd del div dl dt em figure h1 h2 h3 h4 h5 h6 hr i img li main ol p pre s section strong " +
    "table td th title tr ul"
)
const empty = set("area base br col embed hr img input link meta param source track wbr")
/** Hidden only until a script shows them. */
const pages = set("body html")
/** Elements dropped with their content. */
const dropped = set(
  "audio canvas dialog iframe math noembed noframes noscript object script select style svg template textarea video xmp"
)
/** The open elements that a start tag ends. */
const ends: Readonly<Record<string, ReadonlySet<string>>> = {
  p: set("p"),
  li: set("li"),
  dd: set("dd dt"),
  dt: set("dd dt"),
  td: set("td th"),
  th: set("td th"),
  tr: set("tr td th")
}

/** Elements inside one another; the tags of deeper ones are left out, their texts stay. */
export const maxDepth = 48
const maxAttributes = 32
/** Characters read between two pauses. */
const piece = 16 * 1024

export type Attributes = ReadonlyMap<string, string>

/** The events of a page: elements well nested and at most `maxDepth` deep, and texts without entities. */
export interface Reads {
  readonly open: (name: string, attributes: Attributes) => void
  readonly text: (text: string) => void
  readonly close: (name: string) => void
}

const hidden = (attributes: Attributes): boolean =>
  attributes.has("hidden") ||
  /(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden)/i.test(attributes.get("style") ?? "")

const unseen = (name: string, attributes: Attributes, selfClosing: boolean): boolean =>
  (dropped.has(name) && !selfClosing) || (!empty.has(name) && !pages.has(name) && hidden(attributes))

/** Tracks open elements and reports those that a person would see. */
class Nesting {
  private readonly open: Array<string> = []
  /** An element that is left out with its content, and how many of its name are open inside. */
  private skipped: { readonly name: string; readonly depth: number } | undefined

  private readonly reads: Reads

  constructor(reads: Reads) {
    this.reads = reads
  }

  text(text: string): void {
    if (this.skipped === undefined) this.reads.text(text)
  }

  start(name: string, attributes: Attributes, selfClosing: boolean): void {
    if (this.skipped !== undefined && !this.resumes(name)) return
    if (unseen(name, attributes, selfClosing)) this.skipped = { name, depth: 1 }
    else if (kept.has(name)) {
      while (ownValue(ends, name)?.has(this.open.at(-1) ?? "")) this.pop()
      if (this.open.length >= maxDepth) return
      this.reads.open(name, attributes)
      if (!empty.has(name)) this.open.push(name)
    }
  }

  end(name: string): void {
    if (this.skipped !== undefined) {
      if (name !== this.skipped.name) return
      const depth = this.skipped.depth - 1
      this.skipped = depth === 0 ? undefined : { name, depth }
      return
    }
    const opened = this.open.lastIndexOf(name)
    for (let left = opened === -1 ? 0 : this.open.length - opened; left > 0; left--) this.pop()
  }

  all(): void {
    while (this.open.length > 0) this.pop()
  }

  /** Whether a start tag ends what is left out. */
  private resumes(name: string): boolean {
    const { depth = 0, name: left = "" } = this.skipped ?? {}
    if (ownValue(ends, name)?.has(left)) this.skipped = undefined
    else if (name === left) this.skipped = { name, depth: depth + 1 }
    return this.skipped === undefined
  }

  private pop(): void {
    const name = this.open.pop()
    if (name !== undefined) this.reads.close(name)
  }
}

/**
 * Reads HTML in linear time and tells of the elements and texts that a person would see: without scripts, styles, comments and
 * what is hidden. Each step reads one piece. (The parser of htmlparser2 takes quadratic time where elements are never closed,
 * so that only its tokenizer is used.)
 */
export function* read(html: string, reads: Reads): Generator<void> {
  const nesting = new Nesting(reads)
  let name = ""
  let attributes = new Map<string, string>()
  let key = ""
  let value = ""
  const lower = (start: number, end: number) => html.slice(start, end).toLowerCase()
  const none = () => {}
  const tokens: TokenizerCallbacks = {
    onopentagname: (start, end) => {
      name = lower(start, end)
      attributes = new Map()
    },
    onattribname: (start, end) => {
      key = lower(start, end)
      value = ""
    },
    onattribdata: (start, end) => {
      value += html.slice(start, end)
    },
    onattribentity: (point) => {
      value += String.fromCodePoint(point)
    },
    onattribend: () => {
      if (attributes.size < maxAttributes && !attributes.has(key)) attributes.set(key, value)
    },
    onopentagend: () => nesting.start(name, attributes, false),
    onselfclosingtag: () => nesting.start(name, attributes, true),
    onclosetag: (start, end) => nesting.end(lower(start, end)),
    ontext: (start, end) => nesting.text(html.slice(start, end)),
    ontextentity: (point) => nesting.text(String.fromCodePoint(point)),
    oncdata: none,
    oncomment: none,
    ondeclaration: none,
    onprocessinginstruction: none,
    onend: none
  }
  const tokenizer = new Tokenizer({}, tokens)
  for (let at = 0; at < html.length; at += piece) {
    tokenizer.write(html.slice(at, at + piece))
    yield
  }
  tokenizer.end()
  nesting.all()
}
