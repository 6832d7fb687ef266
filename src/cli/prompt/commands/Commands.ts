import * as Effect from "effect/Effect"
import { similar } from "../../Guard.ts"
import type { Carried, Prompt, SlashCommand } from "./Command.ts"
import { clear, compact, exit, model, status } from "./session.ts"
import { approvals, config, doctor, why } from "./commandLine.ts"
import { context, init } from "./conversation.ts"
import { todos } from "./todos.ts"
import { tool, tools } from "./tools.ts"
import { cancel, workers } from "./workers.ts"
import { tasks } from "./tasks.ts"
import { helpOf } from "./help.ts"
import { mode } from "./mode.ts"
import { manual } from "../../manualTools.ts"

/** Every command, in the order of the help. */
const listed: ReadonlyArray<SlashCommand> = [
  model,
  mode,
  approvals,
  why,
  clear,
  compact,
  context,
  workers,
  cancel,
  tasks,
  todos,
  tools,
  tool,
  init,
  config,
  status,
  doctor,
  exit
]

const help: SlashCommand = {
  name: "help",
  aliases: ["?"],
  summary: "show the commands and keys, or one command",
  arguments: "[NAME]",
  duringTask: true,
  complete: () => Effect.succeed(all.map(({ name, summary }) => ({ word: name, summary }))),
  run: (argument, prompt) => {
    const name = argument.replace(/^\//, "")
    const found = find(name)
    return name !== "" && found === undefined ? prompt.say(unknown(name), "error") : prompt.say(helpOf(all, found))
  }
}

export const all: ReadonlyArray<SlashCommand> = [help, ...listed]

/** The command of that name or alias. */
export const find = (name: string): SlashCommand | undefined =>
  all.find((one) => one.name === name || one.aliases?.includes(name) === true)

const unknown = (name: string): string => {
  const names = all.flatMap((one) => [one.name, ...(one.aliases ?? [])])
  const near = similar(name, names)
  if (name === "") return `commands: ${all.map((one) => `/${one.name}`).join(" ")}`
  return `unknown command /${name} · ${near === undefined ? "/help lists the commands" : `did you mean /${near}?`}`
}

const running = (name: string): string => `a task is running · esc stops it, then /${name} works`

/** Carries out a line that begins with a slash. */
export const perform = (line: string, prompt: Prompt): Carried<unknown> =>
  Effect.suspend(() => {
    const [, name = "", argument = ""] = /^\s*\/(\S*)\s*([^]*?)\s*$/u.exec(line) ?? []
    const byTool = find("tool")
    const isTool = byTool !== undefined && manual.some((tool) => tool.name === name)
    const found = find(name) ?? (isTool ? byTool : undefined)
    if (found === undefined) return prompt.say(unknown(name), "error")
    if (prompt.isRunning() && found.duringTask !== true) {
      return prompt.say(running(found.name), "error")
    }
    return found.run(found === byTool && name !== found.name && isTool ? `${name} ${argument}` : argument, prompt)
  })
