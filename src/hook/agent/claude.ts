import { type Agent, type Answer, asked, callOf, json } from "../Agent.ts"
import type { Data } from "../ForeignCall.ts"
import {
  allHarmless,
  fetches,
  file,
  harmless,
  opaque,
  patch,
  type Reading,
  search,
  shell,
  takes,
  type ToolTable,
  unknown
} from "../ToolTable.ts"

/** A command that asks to run outside of the agent's own sandbox does one thing more. */
const unsandboxed =
  (reading: Reading): Reading =>
  (input, cwd) => {
    const deeds = reading(input, cwd)
    return deeds === undefined || input["dangerouslyDisableSandbox"] !== true
      ? deeds
      : [...deeds, { tool: "run_shell", touches: undefined, isUnsandboxed: true }]
  }

/** The tools of Claude Code 2.1. */
const tools: ToolTable = new Map([
  [
    "Bash",
    takes(
      "command description timeout:number run_in_background:flag dangerouslyDisableSandbox:flag",
      unsandboxed(shell())
    )
  ],
  ["PowerShell", opaque("run_shell")],
  ["Monitor", takes("command description timeout:number timeout_ms:number persistent:flag", shell())],
  ["Read", takes("file_path offset:number limit:number pages", file("read_file", "read", ["file_path"]))],
  ["Write", takes("file_path content", file("write_file", "write", ["file_path"]))],
  ["Edit", takes("file_path old_string new_string replace_all:flag", file("edit_file", "write", ["file_path"]))],
  ["MultiEdit", takes("file_path edits:edits", file("edit_file", "write", ["file_path"]))],
  [
    "NotebookEdit",
    takes(
      "notebook_path new_source cell_id cell_type edit_mode cell_number:number",
      file("edit_file", "write", ["notebook_path"])
    )
  ],
  ["NotebookRead", takes("notebook_path cell_id", file("read_file", "read", ["notebook_path"]))],
  ["LS", takes("path ignore:texts", search("list_dir", ["path"]))],
  ["Glob", takes("pattern path", search("glob", ["path"]))],
  [
    "Grep",
    takes(
      "path glob pattern output_mode -A:number -B:number -C:number -n:flag -i:flag context:number type head_limit:number offset:number multiline:flag",
      search("grep", ["path"], ["glob"])
    )
  ],
  [
    "LSP",
    takes(
      "filePath file_path operation line:number character:number query",
      file("read_file", "read", ["filePath", "file_path"])
    )
  ],
  ["ApplyPatch", takes("patch command", patch("patch", "command"))],
  ["WebFetch", takes("url prompt", fetches())],
  ["ReadMcpResource", unknown("read_mcp_resource")],
  ["ReadMcpResourceTool", unknown("read_mcp_resource")],
  ["Workflow", unknown("workflow")],
  ["CronCreate", unknown("cron_create")],
  ["RemoteTrigger", unknown("remote_trigger")],
  ["EnterWorktree", harmless],
  ...allHarmless(
    "WebSearch Agent Task TaskCreate TaskGet TaskList TaskUpdate TaskOutput TaskStop TodoWrite TodoRead AskUserQuestion " +
      "EnterPlanMode ExitPlanMode ExitWorktree Skill SlashCommand BashOutput KillShell KillBash ListMcpResources " +
      "ListMcpResourcesTool ToolSearch CronDelete CronList SendMessage TeamCreate TeamDelete EndConversation StructuredOutput"
  )
])

/** Moments in which nothing is decided. */
const silent = new Set(
  (
    "PostToolUse PostToolUseFailure PostToolBatch PermissionDenied SessionStart SessionEnd Setup UserPromptSubmit Stop StopFailure " +
    "SubagentStart SubagentStop PreCompact PostCompact Notification ConfigChange CwdChanged FileChanged InstructionsLoaded " +
    "TaskCreated TaskCompleted TeammateIdle WorktreeCreate WorktreeRemove Elicitation ElicitationResult"
  ).split(" ")
)

const names = {
  session: "session_id",
  tool: "tool_name",
  input: "tool_input",
  call: "tool_use_id",
  worker: "agent_id"
} as const

/** Reads a payload in the form of Claude Code. */
export const reader =
  (agent: string, tools: ToolTable, silent: ReadonlySet<string>): Agent["read"] =>
  (payload: Data) => {
    const { hook_event_name: event } = payload
    if (typeof event === "string" && silent.has(event)) return undefined
    if (event !== "PreToolUse" && event !== "PermissionRequest") return { problem: "its event is not known" }
    return asked(event, callOf(agent, payload, names, tools, { project: payload["project_dir"] }))
  }

const permission = (behavior: "allow" | "deny", reason: string): string =>
  json({
    hookSpecificOutput: {
      hookEventName: "PermissionRequest",
      decision: { behavior, ...(behavior === "deny" && { message: reason }) }
    }
  })

/** Answers in the form of Claude Code; a call that is left to the agent is answered by nothing. */
export const writer = ({ decision, reason }: Answer, event: string): string => {
  if (decision === "defer") return ""
  // A person is about to be asked already.
  if (event === "PermissionRequest") return decision === "ask" ? "" : permission(decision, reason)
  return json({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: decision,
      permissionDecisionReason: reason
    }
  })
}

/** Claude Code: it can be given every decision, and `ask` asks in every mode; without a terminal it denies. */
export const claude: Agent = {
  name: "claude",
  title: "Claude Code",
  read: reader("claude", tools, silent),
  write: writer,
  fold: (decision) => decision,
  usual: "PreToolUse",
  own: {
    see: [
      ".claude/plans",
      ".claude/projects",
      ".claude/skills",
      ".claude/plugins",
      ".claude/agents",
      ".claude/commands"
    ],
    change: [".claude/plans", ".claude/projects"]
  },
  typesUnseen: false
}
