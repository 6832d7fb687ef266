/**
 * One line of a prompt; all but a `summary` and `context` have every character of what they are about. The runtime's own words are `title`, `field`, `warning` and `choice`; everything that came from a
 * model or a file has the mark `margin` in front, so that no text can pass for the runtime's.
 */
export interface Line {
  readonly kind:
    "title" | "field" | "warning" | "choice" | "summary" | "value" | "added" | "removed" | "diff" | "context"
  readonly margin: boolean
  readonly text: string
}

/** The runtime's own words. */
export const own = (kind: "title" | "field" | "warning" | "choice", text: string): Line => ({
  kind,
  margin: false,
  text
})

/** What words of somebody else are. */
export type ForeignKind = Exclude<Line["kind"], "title" | "field" | "warning" | "choice">

/** Words of somebody else. */
export const foreign = (kind: ForeignKind, text: string): Line => ({
  kind,
  margin: true,
  text
})

/** In front of every line that is not the runtime's own. */
export const marginMark = "│ "

/** In front of the rows in which such a line goes on where it is too long for one. */
export const continuationMark = "↳ "
