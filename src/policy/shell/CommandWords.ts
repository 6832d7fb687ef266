import type { Command, CommandArgument, Redirection } from "unbash"

/** The words of a command that the shell passes on, with their places in the text. */
export const argumentsOf = (command: Command): ReadonlyArray<CommandArgument> => [
  ...(command.name === undefined ? [] : [command.name]),
  ...command.suffix.filter(isArgument)
]

/** What those words say, as far as that can be known; one that holds braces may be several. */
export const valuesOf = (words: ReadonlyArray<CommandArgument>): ReadonlyArray<string> => {
  const values: Array<string> = []
  for (const word of words) {
    const several = word.text.includes("{") ? expanded(word.text) : undefined
    if (several === undefined) values.push(valueOf(word))
    else values.push(...several)
  }
  return values
}

const isArgument = (part: CommandArgument | Redirection): part is CommandArgument =>
  part.type === "Word" || part.type === "Assignment"

/** What one of them says. */
export const valueOf = (word: CommandArgument): string => {
  if (word.type === "Word") return word.value
  return word.value.type === "Word" ? `${word.name}=${word.value.value}` : word.text
}

/** The words of `a{b,c}d`; only the simplest form is expanded. */
export const expanded = (text: string): ReadonlyArray<string> | undefined => {
  if (text.length > 256) return undefined
  const found = /^([^{}'"$`\\]*)\{([^{}'"$`\\]*,[^{}'"$`\\]*)\}([^{}'"$`\\]*)$/.exec(text)
  return found?.[2]?.split(",").map((part) => `${found[1]}${part}${found[3]}`)
}

/** A command as written, or its words after brace expansion. */
export const written = (words: ReadonlyArray<CommandArgument>, argv: ReadonlyArray<string>, start: number): string =>
  words.length === argv.length
    ? words
        .slice(start)
        .map((word) => word.text)
        .join(" ")
    : argv.slice(start).join(" ")
