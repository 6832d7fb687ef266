import * as Effect from "effect/Effect"
import * as Pace from "../../system/Pace.ts"
import type { FetchedPage } from "./FetchedPage.ts"
import { read } from "./Html.ts"
import { Markdown } from "./Markdown.ts"

const bytes = (count: number): string => `${count} ${count === 1 ? "byte" : "bytes"}`

const markdown = Effect.fnUntraced(function* (page: FetchedPage) {
  const writer = new Markdown(page.url)
  const pace = Pace.make()
  for (const _ of read(page.text, writer)) yield* pace
  return writer.written
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
