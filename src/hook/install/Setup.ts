import * as path from "node:path"
import { placeIn } from "../../system/placeIn.ts"
import { quoted } from "../../text/ShellWord.ts"

/** A place in a settings file where a hook is entered. */
export interface Place {
  readonly keys: ReadonlyArray<string>
  readonly value: unknown
}

/** How an agent is told to run a program before its calls. */
export interface Setup {
  readonly agent: string
  /** The user's file. */
  readonly user: (home: string, env: Readonly<Record<string, string | undefined>>) => string
  /** That of a project. */
  readonly project: (directory: string) => string
  /** Entries of a file that others write in too. */
  readonly entries?: (command: string) => ReadonlyArray<Place>
  /** Members that a new file needs besides. */
  readonly members?: Readonly<Record<string, unknown>>
  /** All of a file of its own. */
  readonly whole?: (argv: ReadonlyArray<string>, command: string) => string
  /** The command that such a file runs, where it is no list of commands. */
  readonly ran?: (text: string) => string | undefined
  /** What the user still has to do or know. */
  readonly note?: string
}

/** Seconds that an agent gives the hook; its own deadline is shorter. */
const seconds = 15

const matched = (command: string, more: object = {}) => ({
  matcher: "*",
  hooks: [{ type: "command", command, timeout: seconds, ...more }]
})

const below = (named: string | undefined, usual: string, ...names: ReadonlyArray<string>): string =>
  path.join(placeIn(named, usual), ...names)

/** The plugin by which opencode runs the hook. What goes wrong with it denies the call. */
const plugin = ([
  program = "",
  ...args
]: ReadonlyArray<string>): string => `// Written by tollgate hook install opencode; tollgate hook uninstall opencode removes it.
import { spawn } from "node:child_process"

const run = (payload) =>
  new Promise((resolve, reject) => {
    const child = spawn(${JSON.stringify(program)}, ${JSON.stringify(args)}, { stdio: ["pipe", "pipe", "ignore"] })
    const late = setTimeout(() => child.kill("SIGKILL"), ${seconds * 1000})
    let text = ""
    child.stdout.on("data", (piece) => (text += piece))
    child.stdin.on("error", () => {})
    child.on("error", reject)
    child.on("close", () => {
      clearTimeout(late)
      resolve(text)
    })
    child.stdin.end(JSON.stringify(payload))
  })

export const Tollgate = async ({ directory, worktree }) => ({
  "tool.execute.before": async ({ callID, sessionID, tool }, { args }) => {
    let answer
    try {
      answer = JSON.parse(await run({ tool, sessionID, callID, args, directory, worktree }))
    } catch {
      throw new Error("Tollgate did not answer, so the call was denied.")
    }
    if (answer.decision !== "allow") throw new Error(answer.reason || "Tollgate denied the call.")
  }
})
`

/** The command that a plugin of ours starts. */
const startedBy = (text: string): string | undefined => {
  const [, program = "", args = ""] = /\bspawn\(("(?:[^"\\\n]|\\.)*"), (\[[^\n]*?\]), \{/.exec(text) ?? []
  try {
    const words: unknown = JSON.parse(`[${program},${args.slice(1)}`)
    return Array.isArray(words) ? words.map((word) => quoted(String(word))).join(" ") : undefined
  } catch {
    return undefined
  }
}

const nested =
  (event: string, more: (command: string) => object) =>
  (command: string): ReadonlyArray<Place> => [{ keys: ["hooks", event], value: more(command) }]

export const setups: ReadonlyArray<Setup> = [
  {
    agent: "claude",
    user: (home, env) => below(env["CLAUDE_CONFIG_DIR"], path.join(home, ".claude"), "settings.json"),
    project: (directory) => path.join(directory, ".claude", "settings.json"),
    entries: nested("PreToolUse", (command) => matched(command))
  },
  {
    agent: "codex",
    user: (home, env) => below(env["CODEX_HOME"], path.join(home, ".codex"), "hooks.json"),
    project: (directory) => path.join(directory, ".codex", "hooks.json"),
    entries: (command) =>
      ["PreToolUse", "PermissionRequest"].map((event) => ({ keys: ["hooks", event], value: matched(command) })),
    note: "Codex runs a hook only once you trust it: start codex and review it. Any change of the entry needs a new review."
  },
  {
    agent: "gemini",
    user: (home) => path.join(home, ".gemini", "settings.json"),
    project: (directory) => path.join(directory, ".gemini", "settings.json"),
    entries: nested("BeforeTool", (command) => matched(command, { name: "tollgate", timeout: seconds * 1000 }))
  },
  {
    agent: "qwen",
    user: (home) => path.join(home, ".qwen", "settings.json"),
    project: (directory) => path.join(directory, ".qwen", "settings.json"),
    entries: nested("PreToolUse", (command) => matched(command))
  },
  {
    agent: "copilot",
    user: (home, env) => below(env["COPILOT_HOME"], path.join(home, ".copilot"), "hooks", "tollgate.json"),
    project: (directory) => path.join(directory, ".github", "hooks", "tollgate.json"),
    whole: (_, command) =>
      `${JSON.stringify({ version: 1, hooks: { preToolUse: [{ type: "command", bash: command, timeoutSec: seconds }] } }, null, 2)}\n`
  },
  {
    agent: "opencode",
    user: (home, env) =>
      below(env["XDG_CONFIG_HOME"], path.join(home, ".config"), "opencode", "plugins", "tollgate.js"),
    project: (directory) => path.join(directory, ".opencode", "plugins", "tollgate.js"),
    whole: plugin,
    ran: startedBy,
    note: "Plugins of opencode cannot ask, so calls that need a question are denied."
  },
  {
    agent: "cursor",
    user: (home) => path.join(home, ".cursor", "hooks.json"),
    project: (directory) => path.join(directory, ".cursor", "hooks.json"),
    members: { version: 1 },
    entries: (command) => [
      ...["beforeShellExecution", "beforeMCPExecution", "beforeReadFile"].map((event) => ({
        keys: ["hooks", event],
        value: { command, timeout: seconds, failClosed: true }
      })),
      { keys: ["hooks", "preToolUse"], value: { command, timeout: seconds, failClosed: true, matcher: "Write|Delete" } }
    ],
    note: "Cursor may not ask, so calls that need a question are denied."
  }
]
