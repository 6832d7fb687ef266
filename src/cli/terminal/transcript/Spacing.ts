import type { Display } from "../../../ui/Display.ts"

type Tag = Display["_tag"]

/** What stands together without a blank line between it. */
const kindOf = (tag: Tag): string => (tag.startsWith("Call") || tag === "Thought" ? "Call" : tag)

/** The blank lines between what is printed. */
export class Spacing {
  /** The kind of what was printed last. */
  before: string | undefined

  printed(tag: Tag, rows: ReadonlyArray<string>): string {
    return rows.length === 0 ? "" : `${this.gap(tag)}${rows.join("\n")}\n`
  }

  /** A blank line where another kind of thing begins. */
  gap(tag: Tag): string {
    const kind = kindOf(tag)
    const apart = this.before !== undefined && !(kind === this.before && (kind === "Call" || kind === "Note"))
    this.before = kind
    return apart ? "\n" : ""
  }
}
