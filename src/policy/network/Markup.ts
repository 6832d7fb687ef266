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
const maxTags = 12_000

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

/** Collects the tags that are kept, always well nested and within the limits of depth and number. */
class Nesting {
  private readonly out: Array<string> = []
  private readonly open: Array<string> = []
  private tags = 0

  text(text: string): void {
    this.out.push(text)
  }

  start({ attrs, name }: Tag): void {
    while (ends[name]?.has(this.open.at(-1) ?? "")) this.pop()
    if (this.open.length >= maxDepth || this.tags >= maxTags) return
    this.tags++
    const carried = (attributes[name] ?? []).flatMap((key) => {
      const value = attrs.get(key)
      return value === undefined ? [] : [` ${key}="${value.replaceAll(/["<>]/g, (_) => entities[_]!)}"`]
    })
    this.out.push(`<${name}${carried.join("")}>`)
    if (!empty.has(name)) this.open.push(name)
  }

  end(name: string): void {
    const opened = this.open.lastIndexOf(name)
    for (let left = opened === -1 ? 0 : this.open.length - opened; left > 0; left--) this.pop()
  }

  finish(): string {
    while (this.open.length > 0) this.pop()
    return this.out.join("")
  }

  private pop(): void {
    this.out.push(`</${this.open.pop()}>`)
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
 * Reduces a page to well-nested markup of few elements in linear time: without scripts, styles, comments and what is
 * hidden from a reader. HTML that nests deeply takes the parser and the converter behind this quadratic time and more.
 */
export const simplify = (html: string): string => {
  const nesting = new Nesting()
  let skipped: Skipped | undefined
  let i = 0
  const past = (mark: string, from: number): number => {
    const found = html.indexOf(mark, from)
    return found === -1 ? html.length : found + mark.length
  }
  while (i < html.length) {
    const next = html.indexOf("<", i)
    const stop = next === -1 ? html.length : next
    if (!skipped && stop > i) nesting.text(html.slice(i, stop))
    i = stop
    if (html.startsWith("<!--", i)) i = past("-->", i + 2)
    else if (html.startsWith("<!", i) || html.startsWith("<?", i)) i = past(">", i)
    else if (!/^<\/?[a-zA-Z]/.test(html.slice(i, i + 3))) {
      if (!skipped && i < html.length) nesting.text("&lt;")
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
    }
  }
  return nesting.finish()
}
