import { makeVisible } from "../text/visible.ts"

const tag = "untrusted"

/** What could end the block, begin another, or speak in the name of a chat template. */
const delimiters = new RegExp(`<(?=\\s{0,9}/?\\s{0,9}${tag}\\b|\\|)`, "gi")

const attribute = (text: string): string => makeVisible(text).replaceAll(/[&"<>\n\t]/g, (_) => `&#${_.charCodeAt(0)};`)

/**
 * Wraps what came from outside as data for a model: `<untrusted source="…">`, with what the text has of the same delimiters
 * escaped. It tells a model where words come from; what it may do is decided elsewhere and does not depend on them.
 */
export const untrusted = (source: string, text: string): string =>
  `<${tag} source="${attribute(source)}">\n${makeVisible(text).replaceAll(delimiters, "&lt;")}\n</${tag}>`
