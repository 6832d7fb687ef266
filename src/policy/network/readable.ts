import * as Effect from "effect/Effect"
import TurndownService from "turndown"
import * as Pace from "../Pace.ts"
import type { FetchedPage } from "./FetchedPage.ts"
import { maxTags, pieces } from "./Markup.ts"
import * as Url from "../../text/Url.ts"

/** The part of a DOM node that the rules look at. */
interface Element {
  readonly nodeName: string
  readonly childNodes: Iterable<Element>
  readonly getAttribute: (name: string) => string | null
}

const absolute = (address: string | null, base: string): string | undefined => {
  const url = address ? Url.parsed(address, base) : undefined
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim()

const named =
  (...names: ReadonlyArray<string>) =>
  (node: Element): boolean =>
    names.includes(node.nodeName)

const converter = (base: string): TurndownService =>
  new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" })
    .addRule("title", { filter: named("TITLE"), replacement: (content) => `Title: ${oneLine(content)}\n\n` })
    .addRule("link", {
      filter: named("A"),
      replacement: (content, node: Element) => {
        const address = absolute(node.getAttribute("href"), base)
        return address === undefined || content.trim() === "" ? content : `[${content.trim()}](${address})`
      }
    })
    .addRule("image", {
      filter: named("IMG"),
      replacement: (_, node: Element) => {
        const alt = oneLine(node.getAttribute("alt") ?? "")
        const address = absolute(node.getAttribute("src"), base)
        return address === undefined ? alt : `![${alt}](${address})`
      }
    })
    .addRule("cell", { filter: named("TD", "TH"), replacement: (content) => ` ${oneLine(content)} |` })
    .addRule("row", {
      filter: named("TR"),
      replacement: (content, node: Element) => {
        const headings = [...node.childNodes].filter(named("TH")).length
        return `\n|${content}${headings > 0 ? `\n|${" --- |".repeat(headings)}` : ""}`
      }
    })

const bytes = (count: number): string => `${count} ${count === 1 ? "byte" : "bytes"}`

const markdown = Effect.fnUntraced(function* (page: FetchedPage) {
  const service = converter(page.url)
  const found = pieces(page.text)
  const pace = Pace.make()
  const parts: Array<string> = []
  let next = found.next()
  for (; next.done !== true; next = found.next()) {
    if (next.value !== "") parts.push(service.turndown(next.value))
    yield* pace
  }
  if (next.value) parts.push(`[what comes after ${maxTags} elements is shown without formatting]`)
  return parts.filter((part) => part !== "").join("\n\n")
})

/**
 * What a model reads of a page: HTML as Markdown with absolute links, other text as it is, anything else described. Long
 * pages are converted piece by piece, so that a hostile one holds up nobody else.
 */
export const readable = (page: FetchedPage): Effect.Effect<string> => {
  switch (page.kind) {
    case "html":
      return markdown(page)
    case "binary":
      return Effect.succeed(
        `[${page.contentType || "unknown type"}, ${page.truncated ? "more than " : ""}${bytes(page.size)}: not text, not shown]`
      )
    default:
      return Effect.succeed(page.text)
  }
}
