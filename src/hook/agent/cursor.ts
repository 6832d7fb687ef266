import { type Agent, asked, callOf, json, nowhere, texts } from "../Agent.ts"
import type { Data } from "../ForeignCall.ts"
import { allHarmless, fetches, file, opaque, search, shell, takes, type ToolTable } from "../ToolTable.ts"

/** The tools of Cursor, with those that its events of their own stand for. */
const tools: ToolTable = new Map([
  [
    "Shell",
    takes(
      "command working_directory description timeout:number block_until_ms:number is_background:flag",
      shell("command", ["working_directory"])
    )
  ],
  ["Write", takes("file_path path content contents", file("write_file", "write", ["file_path", "path"]))],
  ["Delete", takes("file_path path", file("apply_patch", "remove", ["file_path", "path"]))],
  ["Read", takes("file_path path offset:number limit:number", file("read_file", "read", ["file_path", "path"]))],
  [
    "Grep",
    takes(
      "path glob pattern output_mode -A:number -B:number -C:number -n:flag -i:flag context:number type head_limit:number offset:number multiline:flag",
      search("grep", ["path"], ["glob"])
    )
  ],
  ["Glob", takes("pattern path", search("glob", ["path"]))],
  ["LS", takes("path ignore:texts", search("list_dir", ["path"]))],
  ["WebFetch", (input, cwd) => fetches()(input, cwd) ?? opaque("fetch_url")(input, cwd)],
  ...allHarmless("Task WebSearch TodoWrite SemanticSearch AskQuestion")
])

const names = { session: "conversation_id", tool: "tool_name", input: "tool_input", call: "tool_use_id" } as const

const silent =
  /^(?:after\w+|sessionStart|sessionEnd|stop|postToolUse\w*|beforeSubmitPrompt|preCompact|subagentStop|subagentStart|workspaceOpen)$/

/** Where a call runs: its own directory, else the first root of the workspace. */
const placeOf = ({ cwd, workspace_roots: roots }: Data) => ({
  cwd: cwd === undefined || cwd === null || cwd === "" ? texts(roots)[0] : cwd
})

/** Cursor: `ask` is left out of account in most of its moments, so that it is a denial; every answer needs a text. */
export const cursor: Agent = {
  name: "cursor",
  title: "Cursor",
  read: (payload) => {
    const { command, file_path: path, hook_event_name: event } = payload
    if (typeof event !== "string") return { problem: "its event is not known" }
    if (silent.test(event)) return undefined
    const place = placeOf(payload)
    const of = (tool: string, input: unknown) =>
      asked(event, callOf("cursor", payload, names, tools, { ...place, tool, input }))
    if (event === "beforeShellExecution") return of("Shell", { command })
    if (event === "beforeReadFile" || event === "beforeTabFileRead") return of("Read", { file_path: path })
    if (event === "beforeMCPExecution") {
      const server = payload["mcp_server_name"] ?? payload["server"] ?? "mcp"
      return of(`mcp__${String(server)}__${String(payload["tool_name"])}`, payload["tool_input"])
    }
    if (event !== "preToolUse") return { problem: "its event is not known" }
    const named = payload["tool_name"]
    const [, server] = typeof named === "string" ? (/^MCP:(.+)$/.exec(named) ?? []) : []
    return asked(
      event,
      callOf("cursor", payload, names, tools, {
        ...place,
        ...(server !== undefined && { tool: `mcp__mcp__${server}` })
      })
    )
  },
  write: ({ decision, reason }) =>
    json(
      decision === "deny"
        ? { permission: "deny", user_message: reason, agent_message: reason }
        : { permission: "allow" }
    ),
  fold: (decision) => (decision === "ask" ? "deny" : decision),
  usual: "preToolUse",
  own: nowhere,
  typesUnseen: false
}
