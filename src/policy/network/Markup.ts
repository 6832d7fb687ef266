const set = (names: string): ReadonlySet<string> => new Set(names.split(" "))

/** Elements with a meaning in Markdown; of any other only the content is kept. */
const kept = set(
  "a article b blockquote br code dd del div dl dt em figure h1 h2 h3 h4 h5 h6 hr i img li main ol p pre s section strong " +
    "table td th title tr ul"
)
const empty = set("area base br col embed hr img input link meta param source track wbr")
/** Hidden only until a script shows them. */
const pages = set("body html")
/** Elements that nobody reads; their content goes with them. */
const dropped = set("audio canvas dialog math object select svg template textarea video")
/** As `dropped`, and their content is not markup. */
const raw = set("iframe noembed noframes noscript script style xmp")
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
const attributes: Readonly<Record<string, ReadonlyArray<string>>> = {
  a: ["href"],
  img: ["src", "alt"],
  code: ["class"],
  ol: ["start"]
}

const entities: Readonly<Record<string, string>> = { '"': "&quot;", "<": "&lt;", ">": "&gt;" }

const maxDepth = 48
/** Tags that are kept of one page. */
export const maxTags = 12_000

/** What one piece holds, in UTF-16 units where a tag counts for as many as `perTag`: at a good place to cut, and anywhere. */
const perTag = 80
const good = 8 * 1024
const most = 24 * 1024
/** Tokens between two pauses where nothing is kept. */
const maxTokens = 1000

/** Elements that may be cut anywhere between their children. */
const loose = set("article div figure main section")

const spaceEntity = /&nbsp;|&#160;|&#xa0;|\u00a0/gi

const hidden = (attrs: ReadonlyMap<string, string>): boolean =>
  attrs.has("hidden") ||
  /(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden)/i.test(attrs.get("style") ?? "")

interface Tag {
  readonly name: string
  readonly closing: boolean
  readonly attrs: ReadonlyMap<string, string>
  readonly selfClosing: boolean
  readonly end: number
}

const spaces = /[\s/]*/y
const attributeName = /=?[^\s/>=]*/y
const equals = /\s*=\s*/y
const bareValue = /[^\s>]*/y

const take = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ""
}

/** Reads the tag that starts at `<`; none where the text ends inside it. */
const readTag = (html: string, at: number): Tag | undefined => {
  const closing = html[at + 1] === "/"
  let i = at + (closing ? 2 : 1)
  const name = take(/[^\s/>]+/y, html, i)
  const attrs = new Map<string, string>()
  i += name.length
  while (i < html.length) {
    i += take(spaces, html, i).length
    if (html[i] === ">") {
      return { name: name.toLowerCase(), closing, attrs, selfClosing: html[i - 1] === "/", end: i + 1 }
    }
    const key = take(attributeName, html, i)
    i += key.length
    const sign = take(equals, html, i)
    i += sign.length
    let value = ""
    const quote = html[i]
    if (sign !== "" && (quote === '"' || quote === "'")) {
      const close = html.indexOf(quote, i + 1)
      if (close === -1) return undefined
      value = html.slice(i + 1, close)
      i = close + 1
    } else if (sign !== "") {
      value = take(bareValue, html, i)
      i += value.length
    }
    if (attrs.size < 32 && !attrs.has(key.toLowerCase())) attrs.set(key.toLowerCase(), value)
  }
  return undefined
}

/** Where a text is cut that is longer than `size`: at white space if there is some, never inside of a character or an entity. */
const cutAt = (text: string, size: number): number => {
  const found = Math.max(text.lastIndexOf("\n", size), text.lastIndexOf(" ", size))
  if (found > 0) return found
  const entity = text.lastIndexOf("&", size)
  if (entity > size - 32 && entity > 0) return entity
  return /[\udc00-\udfff]/.test(text.charAt(size)) ? size - 1 : size
}

/** Collects the tags that are kept in pieces, each of them well nested and within the limits of depth and size. */
class Nesting {
  /** Tags were left out. */
  isOver = false
  private out: Array<string> = []
  private readonly open: Array<{ readonly name: string; readonly tag: string }> = []
  private tags = 0
  private weight = 0

  start({ attrs, name }: Tag): void {
    while (ends[name]?.has(this.open.at(-1)?.name ?? "")) this.pop()
    this.isOver ||= this.tags >= maxTags
    if (this.open.length >= maxDepth || this.isOver) return
    this.tags++
    this.weight += perTag
    const carried = (attributes[name] ?? []).flatMap((key) => {
      const value = attrs.get(key)
      return value === undefined ? [] : [` ${key}="${value.replaceAll(/["<>]/g, (_) => entities[_]!)}"`]
    })
    const tag = `<${name}${carried.join("")}>`
    this.out.push(tag)
    if (!empty.has(name)) this.open.push({ name, tag })
  }

  /** Adds a text, in parts where it is long; the pieces that became full by it come back. */
  *text(given: string): Generator<string> {
    let rest = given.replaceAll(spaceEntity, " ")
    while (rest !== "") {
      const end = rest.length <= good ? rest.length : cutAt(rest, good)
      this.out.push(rest.slice(0, end))
      this.weight += end
      rest = rest.slice(end)
      yield* this.full()
    }
  }

  end(name: string): void {
    const opened = this.open.findLastIndex((_) => _.name === name)
    for (let left = opened === -1 ? 0 : this.open.length - opened; left > 0; left--) this.pop()
  }

  /** The piece so far, if it is full; what is open is closed in it and opened again in the next. */
  *full(): Generator<string> {
    if (this.weight < good || (this.weight < most && !this.open.every((_) => loose.has(_.name)))) return
    yield this.closed()
    this.out = this.open.map((_) => _.tag)
    this.weight = 0
  }

  /** The piece so far. */
  closed(): string {
    return (
      this.out.join("") +
      this.open
        .toReversed()
        .map((_) => `</${_.name}>`)
        .join("")
    )
  }

  private pop(): void {
    this.out.push(`</${this.open.pop()?.name}>`)
  }
}

/** Finds the end tag of an element whose content is not markup. */
const endOf = (name: string, html: string, from: number): number => {
  const pattern = new RegExp(`</${name}`, "gi")
  pattern.lastIndex = from
  return pattern.exec(html)?.index ?? html.length
}

/** An element that is left out with its content. */
interface Skipped {
  readonly name: string
  readonly depth: number
}

const unseen = ({ attrs, name, selfClosing }: Tag): boolean =>
  (dropped.has(name) && !selfClosing) || (!empty.has(name) && !pages.has(name) && hidden(attrs))

/** What remains of a skipped element after one more tag inside of it. */
const skip = ({ depth, name }: Skipped, tag: Tag): Skipped | undefined => {
  if (tag.name !== name) return ends[tag.name]?.has(name) ? undefined : { name, depth }
  const next = tag.closing ? depth - 1 : ends[name] ? 0 : depth + 1
  return next === 0 ? undefined : { name, depth: next }
}

/**
 * Reduces a page to pieces of well-nested markup of few elements in linear time: without scripts, styles, comments and what
 * is hidden from a reader. HTML that nests deeply takes the parser and the converter behind this quadratic time and more. An
 * empty piece stands for work done; says in the end whether tags beyond `maxTags` were left out.
 */
export function* pieces(html: string): Generator<string, boolean> {
  const nesting = new Nesting()
  let skipped: Skipped | undefined
  let i = 0
  const past = (mark: string, from: number): number => {
    const found = html.indexOf(mark, from)
    return found === -1 ? html.length : found + mark.length
  }
  for (let tokens = 1; i < html.length; tokens++) {
    if (tokens % maxTokens === 0) yield ""
    const next = html.indexOf("<", i)
    const stop = next === -1 ? html.length : next
    if (!skipped && stop > i) yield* nesting.text(html.slice(i, stop))
    i = stop
    if (html.startsWith("<!--", i)) i = past("-->", i + 2)
    else if (html.startsWith("<!", i) || html.startsWith("<?", i)) i = past(">", i)
    else if (!/^<\/?[a-zA-Z]/.test(html.slice(i, i + 3))) {
      if (!skipped && i < html.length) yield* nesting.text("&lt;")
      i++
    } else {
      const tag = readTag(html, i)
      if (!tag) break
      i = tag.end
      const after: Skipped | undefined = skipped && skip(skipped, tag)
      const resumed = skipped !== undefined && after === undefined && !tag.closing
      const inside = skipped !== undefined && !resumed
      skipped = after
      if (inside) continue
      if (tag.closing) nesting.end(tag.name)
      else if (raw.has(tag.name)) i = endOf(tag.name, html, i)
      else if (unseen(tag)) skipped = { name: tag.name, depth: 1 }
      else if (kept.has(tag.name)) nesting.start(tag)
      yield* nesting.full()
    }
  }
  yield nesting.closed()
  return nesting.isOver
}
