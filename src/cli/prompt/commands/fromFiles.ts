import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { CommandFile, CommandFiles } from "../../../config/CommandFiles.ts"
import { makeVisible } from "../../../text/visible.ts"
import { splitWords } from "../../toolWords.ts"
import { command, type SlashCommand } from "./Command.ts"
import { isTaken } from "./Commands.ts"

/** Characters of a prompt that a template makes. */
const longest = 1024 * 1024

const placeholder = /\\\$|\$(ARGUMENTS\b|[1-9])/g

/** The words of a line; quotes hold one together where each has its end. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  Either.getOrElse(splitWords(line), () => line.split(/\s+/u).filter((word) => word !== ""))

/**
 * A template with its arguments: all of them for `$ARGUMENTS`, one for each of `$1` to `$9`, and `$` for `\$`. A template without
 * places for them has them behind it. Nothing where the text grows beyond bounds.
 */
export const filled = (template: string, given: string): string | undefined => {
  const words = wordsOf(given)
  const places = [...template.matchAll(placeholder)].filter(([, name]) => name !== undefined)
  if (template.length + Math.max(1, places.length) * given.length > longest) return undefined
  if (places.length === 0 && given !== "") return `${template.replace(placeholder, "$$")}\n\n${given}`
  return template.replace(placeholder, (_, name?: string) =>
    name === undefined ? "$" : name === "ARGUMENTS" ? given : (words[Number(name) - 1] ?? "")
  )
}

const firstLine = (template: string): string => /^.*$/m.exec(template)?.[0] ?? ""

const commandOf = ({ arguments: given, description, file, name, template }: CommandFile): SlashCommand =>
  command({
    name,
    group: "files",
    summary: makeVisible(description ?? firstLine(template)),
    ...(given === undefined ? {} : { arguments: makeVisible(given) }),
    details: `sends the text of ${makeVisible(file)} to the model`,
    run: (argument, prompt) =>
      Effect.suspend(() => {
        const text = filled(template, argument)
        return text === undefined
          ? prompt.say(`/${name} with these arguments has more than ${longest} characters`, "error")
          : prompt.submit(text)
      })
  })

/** The commands of the user's files, then those of the project's; a name that is taken is refused. */
export const fromFiles = (
  user: CommandFiles,
  project: CommandFiles
): { readonly commands: ReadonlyArray<SlashCommand>; readonly problems: ReadonlyArray<string> } => {
  const found = new Map<string, CommandFile>()
  const problems = [...user.problems, ...project.problems]
  for (const one of [...user.commands, ...project.commands]) {
    const before = found.get(one.name)
    const taken = isTaken(one.name) ? "Tollgate" : before?.file
    if (taken === undefined) found.set(one.name, one)
    else problems.push(`${one.file}: /${one.name} is a command of ${taken}; give the file another name`)
  }
  return { commands: [...found.values()].map(commandOf), problems }
}
