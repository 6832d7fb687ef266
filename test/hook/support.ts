import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { lexical } from "../../src/approval/Disk.ts"
import { RuleBook } from "../../src/approval/RuleBook.ts"
import { describing } from "../../src/approval/Subject.ts"
import { agents } from "../../src/hook/agents.ts"
import { claude } from "../../src/hook/agent/claude.ts"
import { type Agent, isUnread } from "../../src/hook/Agent.ts"
import { isData } from "../../src/hook/ForeignCall.ts"
import { judged } from "../../src/hook/Judgement.ts"
import type { Outcome } from "../../src/hook/Outcome.ts"
import { type Response, respond } from "../../src/hook/Response.ts"
import { defaultRules } from "../../src/policy/network/NetworkRules.ts"
import { corpusPath } from "../support/corpora.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

export const agent = (name: string): Agent => {
  const found = agents.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no agent ${name}`)
  return found
}

/** A payload as an agent has sent it, by the name of its file; `/home/u/ws` is the workspace. */
export const payload = (file: string, workspace: string): Record<string, unknown> =>
  JSON.parse(
    fs.readFileSync(path.join(corpusPath("hooks"), `${file}.json`), "utf8").replaceAll("/home/u/ws", workspace)
  )

export const payloadFiles: ReadonlyArray<string> = fs
  .readdirSync(corpusPath("hooks"))
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.slice(0, -".json".length))

/** The shell call that each agent sends before it runs a command, with the fields that hold the command. */
export const shellPayloads: Readonly<Record<string, readonly [file: string, field: string]>> = {
  claude: ["claude-bash", "tool_input"],
  codex: ["codex-bash", "tool_input"],
  gemini: ["gemini-shell", "tool_input"],
  qwen: ["qwen-shell", "tool_input"],
  copilot: ["copilot-bash", "toolArgs"],
  opencode: ["opencode-bash", "args"]
}

/** A payload of an agent that wants to run a command in a directory. */
export const shellPayload = (name: string, command: string, cwd: string): Record<string, unknown> => {
  if (name === "cursor") {
    return { conversation_id: "c", hook_event_name: "beforeShellExecution", workspace_roots: [cwd], cwd, command }
  }
  const [file, field] = shellPayloads[name] ?? ["", ""]
  const sent = payload(file, cwd)
  const { [field]: input } = sent
  return { ...sent, cwd, [field]: { ...(isData(input) ? input : {}), command } }
}

/** What the hook of an agent makes of a command in a directory, which is the workspace unless that is another. */
export const outcomeIn =
  (cwd: string, agent: Agent = claude, workspace = cwd) =>
  (command: string): Outcome => {
    const question = agent.read(shellPayload(agent.name, command, cwd))
    if (question === undefined || isUnread(question)) throw new Error(`not read: ${command}`)
    const home = "/home/u"
    return judged(question.call, {
      context: { cwd, roots: [workspace], home, trusted: false, stateDirs: [`${home}/.tollgate`] },
      book: RuleBook.empty,
      subjects: describing(cwd, home, lexical),
      network: defaultRules,
      unasked: [],
      isIgnored: () => false,
      isUnchanged: () => true,
      own: agent.own,
      typesUnseen: agent.typesUnseen,
      cdPath: []
    })
  }

export type Said = "allow" | "ask" | "deny" | "nothing"

/** What an answer means to the agent that reads it. */
export const meaning = (stdout: string): { readonly said: Said; readonly reason: string } => {
  if (stdout === "") return { said: "nothing", reason: "" }
  const answer: unknown = JSON.parse(stdout)
  if (!isData(answer)) throw new Error(`no answer: ${stdout}`)
  const { hookSpecificOutput: nested } = answer
  const own = isData(nested) ? (isData(nested["decision"]) ? nested["decision"] : nested) : answer
  const said = own["permissionDecision"] ?? own["decision"] ?? own["permission"] ?? own["behavior"]
  const reason = own["permissionDecisionReason"] ?? own["reason"] ?? own["message"] ?? own["agent_message"] ?? ""
  if (said !== "allow" && said !== "ask" && said !== "deny") throw new Error(`no decision: ${stdout}`)
  return { said, reason: String(reason) }
}

/** A home of the user and a workspace, gone with the scope. */
export interface Stage {
  readonly home: string
  readonly workspace: string
  readonly config: (value: object) => void
  readonly answer: (
    agent: Agent,
    payload: unknown,
    variables?: Readonly<Record<string, string>>
  ) => Effect.Effect<Response & ReturnType<typeof meaning>>
}

export const stage = Effect.map(temporaryDirectory, (base): Stage => {
  const home = path.join(base, "home")
  const workspace = path.join(base, "home", "ws")
  fs.mkdirSync(path.join(workspace, ".git"), { recursive: true })
  const env = { HOME: home, TOLLGATE_HOME: path.join(home, "tollgate") }
  return {
    home,
    workspace,
    config: (value) => {
      fs.mkdirSync(env.TOLLGATE_HOME, { recursive: true })
      fs.writeFileSync(path.join(env.TOLLGATE_HOME, "config.json"), JSON.stringify(value))
    },
    answer: (agent, payload, variables = {}) =>
      respond(agent, typeof payload === "string" ? payload : JSON.stringify(payload), {
        env: { ...env, ...variables },
        directory: workspace
      }).pipe(Effect.map((response) => ({ ...response, ...meaning(response.stdout) })))
  }
})
