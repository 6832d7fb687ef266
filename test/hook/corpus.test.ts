import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { lexical } from "../../src/approval/Disk.ts"
import { RuleBook } from "../../src/approval/RuleBook.ts"
import { describing } from "../../src/approval/Subject.ts"
import { agents } from "../../src/hook/agents.ts"
import { type Agent, isUnread } from "../../src/hook/Agent.ts"
import { judged } from "../../src/hook/Judgement.ts"
import type { Outcome } from "../../src/hook/Outcome.ts"
import type { Standing } from "../../src/hook/Standing.ts"
import { defaultRules } from "../../src/policy/network/NetworkRules.ts"
import { judgeUrl } from "../../src/policy/network/UrlPolicy.ts"
import { judgeNow } from "../../src/policy/path/PathPolicy.ts"
import type { PathContext } from "../../src/policy/path/PathContext.ts"
import type { Verdict } from "../../src/policy/Verdict.ts"
import { PathInput } from "../corpus/PathCase.ts"
import { ShellInput } from "../corpus/ShellCase.ts"
import { rulesOf, UrlInput } from "../corpus/UrlCase.ts"
import { corpus } from "../support/corpora.ts"
import { shellPayload } from "./support.ts"

const ours = /\b(?:git_push|git_commit|git_diff|git_status|fetch_url|run_shell|write_file|edit_file|list_dir)\b/

const standingIn = (context: PathContext, agent: Agent, network = defaultRules): Standing => ({
  context,
  book: RuleBook.empty,
  subjects: describing(context.cwd, context.home, lexical),
  network,
  unasked: [],
  isIgnored: () => false,
  isUnchanged: () => true,
  own: agent.own,
  typesUnseen: agent.typesUnseen,
  cdPath: []
})

const outcomeOf = (agent: Agent, payload: Record<string, unknown>, standing: Standing): Outcome => {
  const question = agent.read(payload)
  if (question === undefined || isUnread(question))
    return { decision: "ask", by: "payload/unread", reason: "", ruled: false }
  return judged(question.call, standing)
}

const contextOf = (given: Pick<PathContext, "cwd" | "roots" | "home">): PathContext => ({
  ...given,
  trusted: false,
  stateDirs: [`${given.cwd}/.tollgate`, `${given.home}/.local/state/tollgate`]
})

const decodeShell = Schema.decodeUnknownSync(ShellInput)
const decodePath = Schema.decodeUnknownSync(PathInput)
const decodeUrl = Schema.decodeUnknownSync(UrlInput)

/** What another agent is asked about although nothing of ours does it: no tool of that agent does it with consent. */
const asksInstead = new Set(["shell/git-push", "path/outside"])

/** The tools that read, write and list, and the one that fetches, of agents whose payloads differ. */
const byAgent: Readonly<
  Record<string, Readonly<Record<"read" | "write" | "list" | "fetch", readonly [tool: string, parameter: string]>>>
> = {
  claude: {
    read: ["Read", "file_path"],
    write: ["Write", "file_path"],
    list: ["LS", "path"],
    fetch: ["WebFetch", "url"]
  },
  qwen: {
    read: ["read_file", "file_path"],
    write: ["write_file", "file_path"],
    list: ["list_directory", "path"],
    fetch: ["web_fetch", "url"]
  },
  gemini: {
    read: ["read_file", "absolute_path"],
    write: ["write_file", "file_path"],
    list: ["list_directory", "dir_path"],
    fetch: ["web_fetch", "url"]
  },
  copilot: { read: ["view", "path"], write: ["create", "path"], list: ["glob", "path"], fetch: ["web_fetch", "url"] },
  opencode: {
    read: ["read", "filePath"],
    write: ["write", "filePath"],
    list: ["list", "path"],
    fetch: ["webfetch", "url"]
  }
}

/** A payload of an agent that calls a tool. */
const called = (name: string, cwd: string, tool: string, input: object): Record<string, unknown> => {
  if (name === "opencode") return { sessionID: "s", callID: "c", cwd, tool, args: input }
  if (name === "copilot") return { sessionId: "s", cwd, toolName: tool, toolArgs: input }
  const event = name === "gemini" ? "BeforeTool" : "PreToolUse"
  return { session_id: "s", cwd, hook_event_name: event, tool_name: tool, tool_input: input }
}

const chosen = agents.flatMap((agent) => {
  const tools = byAgent[agent.name]
  return tools === undefined ? [] : [{ agent, tools }]
})

describe("the corpora through the hooks", () => {
  for (const agent of agents) {
    it(`judges every shell text of ${agent.title} as our own (X5, S3)`, () => {
      for (const row of corpus<unknown>("c_shell")) {
        const { command, context } = decodeShell(row.input)
        const payload = shellPayload(agent.name, command, context.cwd)
        const { by, decision, reason } = outcomeOf(agent, payload, standingIn(contextOf(context), agent))
        const wanted = row.accept ?? [row.expected]
        const told = `${row.id} ${decision} ${by} ${reason}`
        if (!wanted.includes("auto") && !wanted.includes("allow")) assert.notStrictEqual(decision, "allow", told)
        if (wanted.every((one) => one === "deny")) {
          assert.isTrue(decision === "deny" || (decision === "ask" && asksInstead.has(by)), told)
        }
        if (row.class === "benign") assert.include(["allow", "defer"], decision, told)
        if (decision !== "defer") assert.notMatch(reason, ours, told)
        const folded = agent.fold(decision, agent.usual)
        if (decision === "ask" || decision === "deny") assert.include(["ask", "deny"], folded, told)
      }
    })
  }

  it.each(chosen)("judges every path as our own tools do, for $agent.title (X5, S2)", ({ agent, tools }) => {
    for (const row of corpus<unknown>("b_paths")) {
      const input = decodePath(row.input)
      const context = contextOf(input)
      const tool = input.op === "read" || input.op === "write" || input.op === "list" ? tools[input.op] : undefined
      if (tool === undefined || input.platform !== undefined || (tool[0] === "glob" && input.op === "list")) continue
      const own: Verdict = Either.match(judgeNow(input.path, input.op as "read", context), {
        onLeft: (refused) => refused,
        onRight: ({ verdict }) => verdict
      })
      const [name, field] = tool
      const payload = called(agent.name, input.cwd, name, { [field]: input.path })
      const { by, decision, reason } = outcomeOf(agent, payload, standingIn(context, agent))
      const told = `${row.id} ${input.path} ${decision} ${by} ${reason}, our own: ${own.decision} ${own.rule}`
      if (own.decision === "allow") assert.include(["allow", "defer"], decision, told)
      else if (own.decision === "ask") assert.strictEqual(decision, "ask", told)
      else assert.isTrue(decision === "deny" || (decision === "ask" && asksInstead.has(own.rule)), told)
      assert.notMatch(reason, ours, told)
    }
  })

  it.each(chosen)("judges every address as our own tools do, for $agent.title (X5, S4)", ({ agent, tools }) => {
    for (const row of corpus<unknown>("a_ssrf")) {
      const input = decodeUrl(row.input)
      const rules = rulesOf(input)
      const own = judgeUrl(input.url, rules)
      const [tool, field] = tools.fetch
      const payload = called(agent.name, "/w", tool, { [field]: input.url })
      const context = contextOf({ cwd: "/w", roots: ["/w"], home: "/home/u" })
      const { decision } = outcomeOf(agent, payload, standingIn(context, agent, rules))
      assert.strictEqual(decision, Either.isLeft(own) ? "deny" : "defer", row.id)
      // By a shell, an address that is refused is never left to the agent.
      if (!/^[\w:/.[\]@?=&%-]+$/.test(input.url) || Either.isRight(own)) continue
      const shell = shellPayload(agent.name, `curl -s '${input.url}'`, "/w")
      assert.include(["ask", "deny"], outcomeOf(agent, shell, standingIn(context, agent, rules)).decision, row.id)
    }
  })
})
