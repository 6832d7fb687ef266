import type { Agent } from "../Agent.ts"
import { allHarmless, fetches, file, files, remembers, search, shell, takes, type ToolTable } from "../ToolTable.ts"
import { reader, writer } from "./claude.ts"
import { nowhere } from "../Agent.ts"

/** The tools of Qwen Code 0.24. */
const tools: ToolTable = new Map([
  [
    "run_shell_command",
    takes("command description directory is_background:flag timeout:number", shell("command", ["directory"]))
  ],
  ["write_file", takes("file_path content", file("write_file", "write", ["file_path"]))],
  [
    "edit",
    takes(
      "file_path old_string new_string replace_all:flag expected_replacements:number instruction",
      file("edit_file", "write", ["file_path"])
    )
  ],
  [
    "replace",
    takes(
      "file_path old_string new_string replace_all:flag expected_replacements:number instruction",
      file("edit_file", "write", ["file_path"])
    )
  ],
  [
    "notebook_edit",
    takes("notebook_path new_source cell_id cell_type edit_mode", file("edit_file", "write", ["notebook_path"]))
  ],
  [
    "read_file",
    takes(
      "file_path absolute_path offset:number limit:number pages",
      file("read_file", "read", ["file_path", "absolute_path"])
    )
  ],
  [
    "read_many_files",
    takes(
      "include:any paths:any exclude:texts recursive:flag useDefaultExcludes:flag file_filtering_options:any",
      files(["paths", "include"])
    )
  ],
  ["list_directory", takes("path ignore:texts file_filtering_options:any", search("list_dir", ["path"]))],
  [
    "glob",
    takes(
      "path pattern case_sensitive:flag respect_git_ignore:flag respect_gemini_ignore:flag names_only:flag no_ignore:flag fixed_strings:flag context:number after:number before:number max_matches_per_file:number total_max_matches:number exclude_pattern limit:number",
      search("glob", ["path"])
    )
  ],
  [
    "grep_search",
    takes(
      "path glob include pattern case_sensitive:flag respect_git_ignore:flag respect_gemini_ignore:flag names_only:flag no_ignore:flag fixed_strings:flag context:number after:number before:number max_matches_per_file:number total_max_matches:number exclude_pattern limit:number",
      search("grep", ["path"], ["glob", "include"])
    )
  ],
  [
    "lsp",
    takes(
      "filePath file_path operation line:number character:number query",
      file("read_file", "read", ["filePath", "file_path"])
    )
  ],
  ["web_fetch", takes("url prompt format", fetches())],
  ["save_memory", takes("fact scope", remembers(".qwen", "QWEN.md"))],
  ...allHarmless(
    "agent task skill todo_write web_search exit_plan_mode ask_user_question memory_search cron_list cron_delete"
  )
])

const silent = new Set(
  "PostToolUse PostToolUseFailure SessionStart SessionEnd UserPromptSubmit Stop SubagentStart SubagentStop PreCompact Notification".split(
    " "
  )
)

/** Qwen Code: in the form of Claude Code, with the tools of Gemini CLI; without a terminal it denies what it would ask. */
export const qwen: Agent = {
  name: "qwen",
  title: "Qwen Code",
  read: reader("qwen", tools, silent),
  write: writer,
  fold: (decision) => decision,
  usual: "PreToolUse",
  own: nowhere,
  typesUnseen: false
}
