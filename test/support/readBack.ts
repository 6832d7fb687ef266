import type { Line } from "../../src/approval/rendering/Line.ts"

const notation = /\\u\{([0-9A-F]+)\}|␣\[(\d+) blanks\]|(␣)|⇥ {3}|([\u2400-\u241f\u2421])/gu

/** The line that a prompt shows in this form. */
export const lineOf = (shown: string): string =>
  shown.replaceAll(notation, (_, code?: string, blanks?: string, blank?: string, picture?: string) => {
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
    if (blanks !== undefined) return " ".repeat(Number(blanks))
    if (blank !== undefined) return " "
    if (picture === "␡") return "\u007f"
    return picture === undefined ? "\t" : String.fromCodePoint(picture.codePointAt(0)! - 0x2400)
  })

/** The text that a prompt shows in these lines. */
export const readBack = (lines: ReadonlyArray<Pick<Line, "margin" | "text">>): string =>
  lines
    .flatMap(({ margin, text }) => {
      const empty = margin ? undefined : /^… (\d+) empty lines …$/.exec(text)?.[1]
      return empty === undefined ? [lineOf(text)] : Array.from({ length: Number(empty) }, () => "")
    })
    .join("\n")
