import * as Effect from "effect/Effect"
import { type CommandFile, type CommandFiles, filled, longest } from "../../../config/CommandFiles.ts"
import { makeVisible } from "../../../text/visible.ts"
import { command, type SlashCommand } from "./Command.ts"
import { isTaken } from "./Commands.ts"

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
