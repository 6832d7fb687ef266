import type { Agent } from "../Agent.ts"
import { allHarmless, file, patch, shell, takes, type ToolTable, types, unknown } from "../ToolTable.ts"
import { reader, writer } from "./claude.ts"

const run =
  "command:any workdir timeout:number timeout_ms:number yield_time_ms:number max_output_tokens:number login:flag tty:flag with_escalated_permissions:flag sandbox_permissions justification description prefix_rule:texts"

/** The tools of Codex CLI 0.169, with the names that transcripts of earlier ones have. */
export const tools: ToolTable = new Map([
  ["Bash", takes(run, shell("command", ["workdir"]))],
  ["exec_command", takes(`cmd:any ${run.replace("command:any ", "")}`, shell("cmd", ["workdir"]))],
  ["shell", takes(run, shell("command", ["workdir"]))],
  ["shell_command", takes(run, shell("command", ["workdir"]))],
  [
    "local_shell",
    takes("type command:any working_directory timeout_ms:number", shell("command", ["working_directory"]))
  ],
  ["apply_patch", takes("command input patch", patch("command", "input", "patch"))],
  ["view_image", takes("path detail", file("read_file", "read", ["path"]))],
  ["read_mcp_resource", unknown("read_mcp_resource")],
  ["write_stdin", takes("session_id:any chars yield_time_ms:number max_output_tokens:number", types("chars"))],
  ...allHarmless(
    "update_plan list_mcp_resources list_mcp_resource_templates request_user_input web_search spawn_agent wait_agent send_input close_agent resume_agent"
  )
])

const silent = new Set(
  "PostToolUse SessionStart SessionEnd UserPromptSubmit Stop SubagentStart SubagentStop PreCompact PostCompact Notification".split(
    " "
  )
)

/**
 * Codex CLI: before a call it takes a denial with a reason and nothing else; whatever else is said there lets the call run. When it
 * wants a permission, that is mostly for running outside of its sandbox, so that only a rule of the user allows it.
 */
export const codex: Agent = {
  name: "codex",
  title: "Codex",
  read: reader("codex", tools, silent),
  write: (answer, event) =>
    event === "PermissionRequest" && answer.decision === "allow" && !answer.ruled ? "" : writer(answer, event),
  fold: (decision, event) =>
    event === "PermissionRequest" ? decision : decision === "ask" ? "deny" : decision === "allow" ? "defer" : decision,
  usual: "PreToolUse",
  own: { see: [".codex/skills", ".codex/prompts"], change: [] },
  typesUnseen: true
}
