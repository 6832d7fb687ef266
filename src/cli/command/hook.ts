import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { argument } from "../Guard.ts"
import { bareGroup } from "./group.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

const module = () => import("../HookCommand.ts")

const agents = {
  claude: "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
  qwen: "Qwen Code",
  copilot: "Copilot CLI",
  opencode: "opencode",
  cursor: "Cursor"
} as const

const agent = argument("agent", Object.keys(agents).join(", "))
const changing = {
  agent,
  project: Options.boolean("project").pipe(Options.withDescription("in the files of this project instead of yours")),
  yes: options.yes
}

const install = Command.make("install", changing, (given) => load(module, ({ install }) => install(given))).pipe(
  Command.withDescription("Add the hook to an agent's configuration, once you have seen the change")
)

const uninstall = Command.make("uninstall", changing, (given) =>
  load(module, ({ uninstall }) => uninstall(given))
).pipe(Command.withDescription("Remove the hook from an agent's configuration"))

const status = Command.make("status", { agent: agent.pipe(Args.optional), json: options.json }, (given) =>
  load(module, ({ status }) => status(given))
).pipe(Command.withDescription("Show which agents run the hook, and its problems"))

const collect = Command.make("collect", {}, () => load(module, ({ collect }) => collect)).pipe(
  Command.withDescription("Add the records of hooks to the audit")
)

const answering = Object.entries(agents).map(([name, title]) =>
  Command.make(name, {}, () => load(module, ({ answer }) => answer(name))).pipe(
    Command.withDescription(`Judge a call of ${title}, given as JSON on standard input`)
  )
)

/** `tollgate hook` */
export const hook = bareGroup("hook", "Judge the calls of other agents by your policy and rules", [
  install,
  uninstall,
  status,
  collect,
  ...answering
])
