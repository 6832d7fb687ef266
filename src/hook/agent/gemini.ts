import { type Agent, asked, callOf, json, nowhere } from "../Agent.ts"
import {
  allHarmless,
  fetches,
  fetchesFrom,
  file,
  files,
  remembers,
  search,
  shell,
  takes,
  type ToolTable
} from "../ToolTable.ts"

/** The tools of Gemini CLI 0.61. */
const tools: ToolTable = new Map([
  [
    "run_shell_command",
    takes(
      "command description dir_path directory is_background:flag delay_ms:number",
      shell("command", ["dir_path", "directory"])
    )
  ],
  ["write_file", takes("file_path content", file("write_file", "write", ["file_path"]))],
  [
    "replace",
    takes(
      "file_path old_string new_string instruction expected_replacements:number allow_multiple:flag",
      file("edit_file", "write", ["file_path"])
    )
  ],
  [
    "read_file",
    takes(
      "file_path absolute_path offset:number limit:number start_line:number end_line:number",
      file("read_file", "read", ["file_path", "absolute_path"])
    )
  ],
  [
    "read_many_files",
    takes(
      "include:any paths:any exclude:texts recursive:flag useDefaultExcludes:flag file_filtering_options:any",
      files(["include", "paths"])
    )
  ],
  [
    "list_directory",
    takes(
      "dir_path path ignore:texts respect_git_ignore:flag file_filtering_options:any",
      search("list_dir", ["dir_path", "path"])
    )
  ],
  [
    "glob",
    takes(
      "dir_path path pattern case_sensitive:flag respect_git_ignore:flag respect_gemini_ignore:flag names_only:flag no_ignore:flag fixed_strings:flag context:number after:number before:number max_matches_per_file:number total_max_matches:number exclude_pattern limit:number",
      search("glob", ["dir_path", "path"])
    )
  ],
  [
    "grep_search",
    takes(
      "dir_path path include include_pattern pattern case_sensitive:flag respect_git_ignore:flag respect_gemini_ignore:flag names_only:flag no_ignore:flag fixed_strings:flag context:number after:number before:number max_matches_per_file:number total_max_matches:number exclude_pattern limit:number",
      search("grep", ["dir_path", "path"], ["include", "include_pattern"])
    )
  ],
  [
    "search_file_content",
    takes(
      "dir_path path include include_pattern pattern case_sensitive:flag respect_git_ignore:flag respect_gemini_ignore:flag names_only:flag no_ignore:flag fixed_strings:flag context:number after:number before:number max_matches_per_file:number total_max_matches:number exclude_pattern limit:number",
      search("grep", ["dir_path", "path"], ["include", "include_pattern"])
    )
  ],
  [
    "web_fetch",
    takes("prompt url", (input, cwd) => [fetches()(input, cwd) ?? [], fetchesFrom("prompt")(input, cwd) ?? []].flat())
  ],
  ["save_memory", takes("fact scope", remembers(".gemini", "GEMINI.md"))],
  ...allHarmless(
    "google_web_search activate_skill write_todos ask_user enter_plan_mode exit_plan_mode codebase_investigator cli_help generalist " +
      "get_internal_docs complete_task update_topic tracker_create_task tracker_update_task tracker_get_task tracker_list_tasks " +
      "tracker_add_dependency tracker_visualize list_background_processes"
  )
])

const silent = new Set(
  "AfterTool BeforeAgent AfterAgent BeforeModel AfterModel BeforeToolSelection SessionStart SessionEnd PreCompress Notification".split(
    " "
  )
)

const names = { session: "session_id", tool: "tool_name", input: "tool_input" } as const

/**
 * Gemini CLI: its `ask` overrides a denial of its own policy and waits for ever where there is no terminal, so that what would
 * be asked is denied. What it is allowed it still asks about.
 */
export const gemini: Agent = {
  name: "gemini",
  title: "Gemini CLI",
  read: (payload) => {
    const { hook_event_name: event, mcp_context: context, tool_name: named } = payload
    if (typeof event === "string" && silent.has(event)) return undefined
    if (event !== "BeforeTool") return { problem: "its event is not known" }
    const server = typeof context === "object" && context !== null && "server_name" in context ? context : undefined
    const tool =
      server !== undefined && typeof named === "string" && "tool_name" in server
        ? `mcp__${String(server.server_name)}__${String(server.tool_name)}`
        : undefined
    return asked(event, callOf("gemini", payload, names, tools, tool === undefined ? {} : { tool }))
  },
  write: ({ decision, reason }) => (decision === "deny" ? json({ decision, reason }) : ""),
  fold: (decision) => (decision === "ask" ? "deny" : decision === "allow" ? "defer" : decision),
  usual: "BeforeTool",
  own: nowhere,
  typesUnseen: false
}
