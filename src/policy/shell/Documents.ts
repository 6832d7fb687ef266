import type { Redirection } from "unbash"
import { connection } from "./HardDenials.ts"

/** Whether a redirection leads to the network. */
export const connects = (redirects: ReadonlyArray<Redirection>): boolean =>
  redirects.some((redirect) => redirect.type === "Redirect" && connection.test(redirect.target?.value ?? ""))

/** The texts that redirections feed to a command: those of `<<` and `<<<`. */
export const documents = (redirects: ReadonlyArray<Redirection>): ReadonlyArray<string> =>
  redirects.flatMap((redirect) => {
    if (redirect.type === "HereDoc") return [redirect.body.text]
    return redirect.type === "HereString" && redirect.target !== undefined ? [redirect.target.value] : []
  })

/** Whether a command is given nothing to read. */
export const isFedNothing = (redirects: ReadonlyArray<Redirection>): boolean =>
  redirects.some(
    (redirect) => redirect.type === "Redirect" && redirect.operator === "<" && redirect.target?.value === "/dev/null"
  )

/** The texts that a command is known to print. */
export const printed = ([name = "", ...args]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = args.filter((arg, index) => index > 0 || !/^-[neE]+$/.test(arg))
  if (name === "echo") return [lines(words)]
  return name === "printf" ? [words.slice(0, 1), words.slice(1)].map(lines) : []
}

const lines = (words: ReadonlyArray<string>): string => words.join(" ").replaceAll("\\n", "\n")
