/**
 * One line of a prompt. The runtime's own words are `title`, `field`, `warning` and `choice`; everything that came from a
 * model or a file has the mark `margin` in front, so that no text can pass for the runtime's.
 */
export interface Line {
  readonly kind: "title" | "field" | "warning" | "choice" | "value" | "added" | "removed" | "diff" | "context"
  readonly margin: boolean
  readonly text: string
}

/** The runtime's own words. */
export const own = (kind: "title" | "field" | "warning" | "choice", text: string): Line => ({
  kind,
  margin: false,
  text
})

/** Words of somebody else. */
export const foreign = (kind: "value" | "added" | "removed" | "diff" | "context", text: string): Line => ({
  kind,
  margin: true,
  text
})

/** In front of every line that is not the runtime's own. */
export const marginMark = "│ "

/** A line as plain text, without colour. */
export const plain = ({ margin, text }: Line): string => (margin ? `${marginMark}${text}` : text)
