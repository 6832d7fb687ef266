import * as Effect from "effect/Effect"
import { manual } from "../../manualTools.ts"
import { similar } from "../../Guard.ts"
import { Screen } from "../../terminal/Screen.ts"
import { type Carried, command, type Prompt, type SlashCommand } from "./Command.ts"
import { approvals, config, doctor, why } from "./commandLine.ts"
import { context, init } from "./conversation.ts"
import { cost } from "./cost.ts"
import { diff } from "./diff.ts"
import { helpOf, keysHelp, overview } from "./help.ts"
import { mcp } from "./mcp.ts"
import { memory } from "./memory.ts"
import { mode } from "./mode.ts"
import { fork, rewind, title, undo } from "./rewind.ts"
import { search } from "./search.ts"
import { clear, compact, exit, model, resume, status } from "./session.ts"
import { tasks } from "./tasks.ts"
import { exporting } from "./export.ts"
import { importing } from "./import.ts"
import { todos } from "./todos.ts"
import { tool, tools } from "./tools.ts"
import { cancel, workers } from "./workers.ts"

/** Tollgate's own, in the order of the help, which comes first. */
const listed: ReadonlyArray<SlashCommand> = [
  model,
  mode,
  approvals,
  why,
  clear,
  compact,
  context,
  search,
  cost,
  resume,
  title,
  fork,
  rewind,
  undo,
  diff,
  workers,
  cancel,
  tasks,
  todos,
  memory,
  tools,
  tool,
  mcp,
  exporting,
  importing,
  init,
  config,
  status,
  doctor,
  exit
]

/** Columns that a note takes beside its text. */
const margin = 3

/** The commands of a prompt. */
export interface Commands {
  readonly all: ReadonlyArray<SlashCommand>
  /** The command of that name or alias. */
  readonly find: (name: string) => SlashCommand | undefined
  /** Carries out a line that begins with a slash. */
  readonly perform: (line: string, prompt: Prompt) => Carried<unknown>
}

const isManual = (name: string): boolean => manual.some((tool) => tool.name === name)

const running = (name: string): string => `a task is running · esc stops it, then /${name} works`

const unknown = (name: string, all: ReadonlyArray<SlashCommand>): string => {
  const near = similar(
    name,
    all.flatMap((one) => [one.name, ...(one.aliases ?? [])])
  )
  if (name === "") return `commands: ${all.map((one) => `/${one.name}`).join(" ")}`
  return `unknown command /${name} · ${near === undefined ? "/help lists the commands" : `did you mean /${near}?`}`
}

const named = (name: string, all: ReadonlyArray<SlashCommand>): SlashCommand | undefined =>
  all.find((one) => one.name === name || one.aliases?.includes(name) === true)

const helping = (all: () => ReadonlyArray<SlashCommand>): SlashCommand =>
  command({
    name: "help",
    aliases: ["?"],
    group: "settings",
    summary: "show the commands and keys, or one command",
    arguments: "[NAME|keys]",
    duringTask: true,
    complete: () =>
      Effect.succeed([
        { word: "keys", summary: "every key" },
        ...all().map(({ name, summary }) => ({ word: name, summary }))
      ]),
    run: (argument, prompt) =>
      Effect.flatMap(Screen, ({ plain, width }) => {
        const room = Math.max(40, width() - margin)
        const name = argument.replace(/^\//, "")
        if (name === "") return prompt.say(overview(all(), room, plain))
        const found = named(name, all())
        if (found !== undefined) return prompt.say(helpOf(found))
        return name === "keys" ? prompt.say(keysHelp(room)) : prompt.say(unknown(name, all()), "error")
      })
  })

/** Whether a word behind the command would be left out; the text of a file may use arguments that it does not name. */
const takesNone = ({ arguments: given, group }: SlashCommand): boolean => given === undefined && group !== "files"

/** Tollgate's commands and further ones. */
export const make = (further: ReadonlyArray<SlashCommand>): Commands => {
  const all: ReadonlyArray<SlashCommand> = [helping(() => all), ...listed, ...further]
  const find = (name: string) => named(name, all)
  return {
    all,
    find,
    perform: (line, prompt) =>
      Effect.suspend(() => {
        const [, name = "", argument = ""] = /^\s*\/(\S*)\s*([^]*?)\s*$/u.exec(line) ?? []
        const byTool = find(name) === undefined && isManual(name)
        const found = byTool ? tool : find(name)
        if (found === undefined) return prompt.say(unknown(name, all), "error")
        if (prompt.isRunning() && found.duringTask !== true) return prompt.say(running(found.name), "error")
        if (argument !== "" && !byTool && takesNone(found)) {
          return prompt.say(`/${found.name} takes no argument`, "error")
        }
        return found.run(byTool ? `${name} ${argument}` : argument, prompt)
      })
  }
}

const own = make([])

/** Whether a command of that name would hide one of Tollgate's, or a tool that is run by its name. */
export const isTaken = (name: string): boolean => isManual(name) || own.find(name) !== undefined
