import type { AvailableCommand } from "@agentclientprotocol/sdk"
import * as Option from "effect/Option"
import * as CommandFiles from "../config/CommandFiles.ts"
import type { ProjectConfig } from "../host/ProjectConfig.ts"
import { maxTitle } from "../runtime/Command.ts"
import { visibleLine } from "../text/visible.ts"
import { initPrompt } from "../ui/initPrompt.ts"

/** What a slash command comes to. */
export type Meant =
  | { readonly _tag: "Prompt"; readonly text: string }
  | { readonly _tag: "Compact"; readonly instructions?: string }
  | { readonly _tag: "Clear" }
  | { readonly _tag: "Rename"; readonly title: string }
  /** Nothing is done, and the person is told why. */
  | { readonly _tag: "Say"; readonly text: string }

interface SlashCommand {
  readonly name: string
  readonly summary: string
  /** What stands behind the name. */
  readonly hint?: string
  readonly run: (argument: string) => Meant
}

const own: ReadonlyArray<SlashCommand> = [
  {
    name: "compact",
    summary: "replace the model's context with a summary",
    hint: "what to keep, if anything in particular",
    run: (argument) => ({ _tag: "Compact", ...(argument === "" ? {} : { instructions: argument }) })
  },
  {
    name: "clear",
    summary: "clear the model's context; the log keeps the conversation",
    run: () => ({ _tag: "Clear" })
  },
  {
    name: "title",
    summary: "name the session",
    hint: "the title",
    run: (argument) =>
      argument === ""
        ? { _tag: "Say", text: "Write the title behind the command: /title TEXT" }
        : argument.length > maxTitle
          ? { _tag: "Say", text: `A title has ${maxTitle} characters at most.` }
          : { _tag: "Rename", title: argument }
  },
  {
    name: "init",
    summary: "let the model write AGENTS.md, the instructions of this project",
    run: () => ({ _tag: "Prompt", text: initPrompt })
  }
]

const fromFile = ({ arguments: given, description, name, template }: CommandFiles.CommandFile): SlashCommand => ({
  name,
  summary: visibleLine(description ?? /^.*$/m.exec(template)?.[0] ?? ""),
  ...(given === undefined ? {} : { hint: visibleLine(given) }),
  run: (argument) => {
    const text = CommandFiles.filled(template, argument)
    return text === undefined
      ? {
          _tag: "Say",
          text: `/${name} with these arguments has more than ${CommandFiles.longest} characters. Nothing was sent.`
        }
      : { _tag: "Prompt", text }
  }
})

/** The commands of a session: our own, those of the user's files, and those of a project that the user trusts. */
export interface Commands {
  readonly available: Array<AvailableCommand>
  /** What a prompt means where it is a command; one with a path, or with two slashes, is none. */
  readonly meant: (typed: string) => Meant | undefined
}

/** `configuration` is the path of the user's. */
export const commandsFor = (configuration: string, { file, trusted }: ProjectConfig): Commands => {
  const ofProject = trusted && Option.isSome(file) ? file.value.commands.commands : []
  const all = new Map(own.map((one) => [one.name, one]))
  for (const one of [...CommandFiles.read(CommandFiles.below(configuration)).commands, ...ofProject])
    if (!all.has(one.name)) all.set(one.name, fromFile(one))
  return {
    available: [...all.values()].map(({ hint, name, summary }) => ({
      name,
      description: summary,
      ...(hint === undefined ? {} : { input: { hint } })
    })),
    meant: (typed) => {
      const text = typed.trim()
      if (text.startsWith("//")) return { _tag: "Prompt", text: text.slice(1) }
      const [, name = "", argument = ""] = /^\/([^\s/]*)(?:\s+([^]*))?$/u.exec(text) ?? []
      if (name === "") return undefined
      const known = all.get(name)
      const names = [...all.keys()].map((one) => `/${one}`).join(" ")
      return known?.run(argument) ?? { _tag: "Say", text: `There is no command /${visibleLine(name)}: ${names}` }
    }
  }
}
