import * as crypto from "node:crypto"
import type { Deeds } from "./Deeds.ts"
import { redactJsonWith } from "./RedactJson.ts"
import { cutMiddle, makeVisible } from "../text/visible.ts"

/** Characters of one string, and of all together, that are shown of the arguments of a call. */
const maxString = 4096
const maxTotal = 64 * 1024

export interface ShownArguments {
  readonly value: unknown
  /** Something was left out, so that nobody has seen the whole. */
  readonly cut: boolean
}

/** The length and the hash of a text that is not shown as a whole. */
export const measure = (text: string): string =>
  `[${text.length} characters, sha256 ${crypto.createHash("sha256").update(text).digest("hex")}]`

/** Head and tail with the length and the hash of the whole between and behind them. */
const cutText = (text: string, max: number): string =>
  text.length <= max ? text : `${cutMiddle(text, max)} ${measure(text)}`

/** The arguments of a call as a person or a log may see them: redacted as what runs, everything visible, long strings cut. */
export const shownArguments = ({ deed }: Pick<Deeds, "deed">, value: unknown): ShownArguments => {
  let left = maxTotal
  let cut = false
  const show = (text: string): string => {
    const max = Math.min(maxString, Math.max(64, left))
    if (text.length > max) cut = true
    const shown = cutText(makeVisible(deed(text)), max)
    left -= shown.length
    return shown
  }
  return { value: redactJsonWith(show, value), cut }
}
