import { DomHandler, DomUtils } from "htmlparser2"
import { makeVisible } from "../text/visible.ts"

/** Markup that is built as a tree and written by a library, so that no text can be anything but text. */
export class Markup {
  private readonly tree = new DomHandler()

  /** A text as a reader sees it, with pictures for what has no glyph. */
  text(text: string): void {
    if (text !== "") this.tree.ontext(makeVisible(text))
  }

  element(name: string, attributes: Readonly<Record<string, string>>, inside: () => void = () => {}): void {
    const told = Object.entries(attributes).map(([key, value]) => [key, makeVisible(value)] as const)
    this.tree.onopentag(name, Object.fromEntries(told))
    inside()
    this.tree.onclosetag()
  }

  toString(): string {
    return DomUtils.getOuterHTML(this.tree.dom, { encodeEntities: "utf8" })
  }
}

/** The text of some markup. */
export const markup = (build: (to: Markup) => void): string => {
  const to = new Markup()
  build(to)
  return to.toString()
}
