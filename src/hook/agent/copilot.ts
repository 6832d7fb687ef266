import { type Agent, asked, callOf, json, nowhere } from "../Agent.ts"
import { queries } from "../Queries.ts"
import {
  allHarmless,
  fetches,
  file,
  opaque,
  patch,
  search,
  shell,
  takes,
  type ToolTable,
  unknown
} from "../ToolTable.ts"

const run = "command description mode sessionId shellId async:flag detach:flag initial_wait:number timeout:number"
const edits = "path file_path file_text old_str new_str old_string new_string content insert_line:number diff"
const searches =
  "path glob pattern output_mode -A:number -B:number -C:number -n:flag -i:flag context:number type head_limit:number offset:number multiline:flag"

/** The tools of Copilot CLI 1.0, by its own names and by those that it has in events in the form of Claude Code. */
const tools: ToolTable = new Map([
  ["bash", takes(run, shell())],
  ["Bash", takes(run, shell())],
  ["powershell", opaque("run_shell")],
  ["write_bash", opaque("run_shell")],
  ["create", takes(edits, file("write_file", "write", ["path", "file_path"]))],
  ["Write", takes(edits, file("write_file", "write", ["path", "file_path"]))],
  ["edit", takes(edits, file("edit_file", "write", ["path", "file_path"]))],
  ["Edit", takes(edits, file("edit_file", "write", ["path", "file_path"]))],
  ["str_replace_editor", takes(edits, file("edit_file", "write", ["path", "file_path"]))],
  [
    "view",
    takes(
      "path file_path view_range:numbers offset:number limit:number forceReadLargeFiles:flag",
      file("read_file", "read", ["path", "file_path"])
    )
  ],
  [
    "Read",
    takes(
      "path file_path view_range:numbers offset:number limit:number forceReadLargeFiles:flag",
      file("read_file", "read", ["path", "file_path"])
    )
  ],
  ["apply_patch", takes("patch input command", patch("patch", "input", "command"))],
  ["grep", takes(searches, search("grep", ["path"], ["glob"]))],
  ["Grep", takes(searches, search("grep", ["path"], ["glob"]))],
  ["rg", takes(searches, search("grep", ["path"], ["glob"]))],
  ["glob", takes("pattern path", search("glob", ["path"]))],
  ["Glob", takes("pattern path", search("glob", ["path"]))],
  ["web_fetch", takes("url prompt max_length:number start_index:number raw:flag", fetches())],
  ["WebFetch", takes("url prompt max_length:number start_index:number raw:flag", fetches())],
  ["sql", queries("sql")],
  ["store_memory", unknown("store_memory")],
  ...allHarmless(
    "read_bash stop_bash list_bash task Task Agent report_intent update_todo ask_user fetch_copilot_cli_documentation skill exit_plan_mode web_search task_complete read_agent list_agents"
  )
])

const before = new Set(["preToolUse", "PreToolUse"])
const permission = new Set(["permissionRequest", "PermissionRequest"])

const silent =
  /^(?:postToolUse|sessionStart|sessionEnd|userPromptSubmitted|userPromptSubmit|stop|agentStop|subagentStart|subagentStop|errorOccurred|preCompact|notification)\w*$/i

/** A tool of a server is called `server-tool`. */
const ofServer = (tool: unknown): string | undefined => {
  const [, server, name] = typeof tool === "string" && !tools.has(tool) ? (/^([\w.]+)-([\w.-]+)$/.exec(tool) ?? []) : []
  return server === undefined ? undefined : `mcp__${server}__${name}`
}

const camel = { session: "sessionId", tool: "toolName", input: "toolArgs", worker: "parentAgentId" } as const
const pascal = { session: "session_id", tool: "tool_name", input: "tool_input", worker: "agent_id" } as const

/** Copilot CLI: it can be given every decision; without a terminal it denies what it would ask. */
export const copilot: Agent = {
  name: "copilot",
  title: "Copilot CLI",
  read: (payload) => {
    const { hook_event_name: event = payload["hookName"] ?? "preToolUse", toolInput } = payload
    if (typeof event !== "string") return { problem: "its event is not known" }
    if (silent.test(event)) return undefined
    if (!before.has(event) && !permission.has(event)) return { problem: "its event is not known" }
    const named = [payload["toolName"], payload["tool_name"]].filter((one) => one !== undefined)
    const inputs = [toolInput, payload["toolArgs"], payload["tool_input"]].filter((one) => one !== undefined)
    if (named.length > 1 || inputs.length > 1) return { problem: "it has its call twice" }
    const names = payload["hook_event_name"] === undefined ? camel : pascal
    const tool = ofServer(payload[names.tool])
    const given = { ...(tool !== undefined && { tool }), ...(toolInput !== undefined && { input: toolInput }) }
    return asked(event, callOf("copilot", payload, names, tools, given))
  },
  write: ({ decision, reason }, event) => {
    if (decision === "defer") return ""
    if (!permission.has(event)) return json({ permissionDecision: decision, permissionDecisionReason: reason })
    return decision === "ask" ? "" : json({ behavior: decision, ...(decision === "deny" && { message: reason }) })
  },
  fold: (decision) => decision,
  usual: "preToolUse",
  own: nowhere,
  typesUnseen: false
}
