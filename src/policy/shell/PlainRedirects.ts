import type { Command, Redirection } from "unbash"
import { ask, type Verdict } from "../Verdict.ts"
import { excerpt } from "../../text/excerpt.ts"

/** Whether a redirection neither reads nor writes a file. */
export const isHarmless = (text: string): boolean =>
  /^(?:[012]?(?:>>?|<)|&>>?)[ \t]*\/dev\/null$|^[012]?(?:>&|<&)[012]$/.test(text)

/** Whether a redirection only drops complaints. */
export const isQuiet = (text: string): boolean => /^2>>?[ \t]*\/dev\/null$/.test(text)

/**
 * Whether a command is one in the background to `sh`, for which `&>` is `& >`, and whether that is all of it: words behind are another
 * command there.
 */
export const background = ({ name, prefix, suffix }: Command): { readonly isAll: boolean } | undefined => {
  const parts = [...prefix, ...(name === undefined ? [] : [name]), ...suffix]
  const at = parts.findIndex((part) => part.type === "Redirect" && part.operator.startsWith("&>"))
  return at < 0 ? undefined : { isAll: parts.slice(at).every(({ type }) => type !== "Word" && type !== "Assignment") }
}

export const continued = ask(
  "shell/redirect",
  "`sh` runs what stands behind `&>` as another command; write `>/dev/null 2>&1`."
)

/** What a redirection does, in words. */
export const redirection = (part: Redirection, text: string): Verdict => {
  const quoted = excerpt(text)
  if (part.type !== "Redirect") return ask("shell/redirect", `Passes text to a command (${quoted}).`)
  const target = part.target === undefined ? "a file" : excerpt(part.target.text).slice(1, -1)
  if (/^(?:>|>\||&>)$/.test(part.operator)) return ask("shell/redirect", `Writes to ${target} (${quoted}).`)
  if (/^(?:>>|&>>)$/.test(part.operator)) return ask("shell/redirect", `Appends to ${target} (${quoted}).`)
  if (part.operator === "<") return ask("shell/redirect", `Reads ${target} (${quoted}).`)
  if (part.operator === "<>") return ask("shell/redirect", `Reads and writes ${target} (${quoted}).`)
  return ask("shell/redirect", `Redirects to ${target} (${quoted}).`)
}
