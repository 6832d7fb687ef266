import * as path from "node:path"

/** A program that has MCP servers configured, and how it is told of one. */
export interface ClientConfig {
  readonly name: string
  /** As people call it. */
  readonly title: string
  /** Where a user or a project has them, the user's first. */
  readonly files: (home: string, project: string) => ReadonlyArray<string>
  /** The member that holds them. */
  readonly member: "mcpServers" | "servers" | "mcp" | "mcp_servers"
  /** What its files are written in; JSON with comments if unset. */
  readonly format?: "toml"
  /** What to paste so that it starts this program as a server. */
  readonly block: (command: string, args: ReadonlyArray<string>) => string
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** JSON strings are strings of TOML too. */
const toml = (command: string, args: ReadonlyArray<string>): string =>
  `[mcp_servers.tollgate]\ncommand = ${JSON.stringify(command)}\nargs = [${args.map((arg) => JSON.stringify(arg)).join(", ")}]\n`

export const clients: ReadonlyArray<ClientConfig> = [
  {
    name: "claude",
    title: "Claude Code",
    files: (home, project) => [path.join(home, ".claude.json"), path.join(project, ".mcp.json")],
    member: "mcpServers",
    block: (command, args) => json({ mcpServers: { tollgate: { type: "stdio", command, args } } })
  },
  {
    name: "codex",
    title: "Codex",
    files: (home, project) => [path.join(home, ".codex", "config.toml"), path.join(project, ".codex", "config.toml")],
    member: "mcp_servers",
    format: "toml",
    block: toml
  },
  {
    name: "opencode",
    title: "opencode",
    files: (home, project) => [
      path.join(home, ".config", "opencode", "opencode.json"),
      path.join(home, ".config", "opencode", "opencode.jsonc"),
      path.join(project, "opencode.json"),
      path.join(project, "opencode.jsonc")
    ],
    member: "mcp",
    block: (command, args) => json({ mcp: { tollgate: { type: "local", command: [command, ...args], enabled: true } } })
  },
  {
    name: "cursor",
    title: "Cursor",
    files: (home, project) => [path.join(home, ".cursor", "mcp.json"), path.join(project, ".cursor", "mcp.json")],
    member: "mcpServers",
    block: (command, args) => json({ mcpServers: { tollgate: { command, args } } })
  },
  {
    name: "vscode",
    title: "VS Code",
    files: (_, project) => [path.join(project, ".vscode", "mcp.json")],
    member: "servers",
    block: (command, args) => json({ servers: { tollgate: { type: "stdio", command, args } } })
  }
]
