import { type Agent, asked, callOf, json, nowhere } from "../Agent.ts"
import { batch } from "../Batch.ts"
import { allHarmless, fetches, file, patch, search, shell, takes, type ToolTable, unknown } from "../ToolTable.ts"

/** The tools of opencode 1.18, but for the one that calls others. */
const single: ToolTable = new Map([
  ["bash", takes("command workdir description timeout:number", shell("command", ["workdir"]))],
  ["write", takes("filePath content", file("write_file", "write", ["filePath"]))],
  ["edit", takes("filePath oldString newString replaceAll:flag", file("edit_file", "write", ["filePath"]))],
  ["multiedit", takes("filePath edits:edits", file("edit_file", "write", ["filePath"]))],
  ["read", takes("filePath offset:number limit:number", file("read_file", "read", ["filePath"]))],
  ["apply_patch", takes("patchText patch input command", patch("patchText", "patch", "input", "command"))],
  ["patch", takes("patchText patch input", patch("patchText", "patch", "input"))],
  ["glob", takes("pattern path", search("glob", ["path"]))],
  ["grep", takes("pattern path include", search("grep", ["path"], ["include"]))],
  ["list", takes("path ignore:texts", search("list_dir", ["path"]))],
  ["webfetch", takes("url format timeout:number", fetches())],
  ["lsp", takes("filePath operation line:number character:number", file("read_file", "read", ["filePath"]))],
  ...allHarmless("task skill todowrite todoread question websearch codesearch plan_enter plan_exit invalid")
])

/** Its inner calls run without being announced. */
const tools: ToolTable = new Map([...single, ["batch", takes("tool_calls:any", batch("tool_calls", single))]])

const names = { session: "sessionID", tool: "tool", input: "args", call: "callID" } as const

/** What the tools of servers are called: the server, `_` and the tool; nobody can tell where one ends. */
const ofServer = (tool: unknown): string | undefined =>
  typeof tool === "string" && !tools.has(tool) && /^[\w-]+$/.test(tool) && tool.slice(1, -1).includes("_")
    ? tool
    : undefined

/** opencode: its plugin throws a denial and can do nothing else, so that what would be asked is denied. */
export const opencode: Agent = {
  name: "opencode",
  title: "opencode",
  read: (payload) => {
    const tool = ofServer(payload["tool"])
    const known = tool === undefined ? tools : new Map([...tools, [tool, unknown(tool.replace("_", "__"))] as const])
    const cwd = payload["directory"] ?? payload["cwd"]
    return asked(
      "tool.execute.before",
      callOf("opencode", payload, names, known, { cwd, project: payload["worktree"] })
    )
  },
  write: ({ decision, reason }) => json(decision === "deny" ? { decision, reason } : { decision: "allow" }),
  fold: (decision) => (decision === "ask" ? "deny" : decision === "allow" ? "defer" : decision),
  usual: "tool.execute.before",
  own: nowhere,
  typesUnseen: false
}
