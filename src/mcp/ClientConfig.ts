import * as path from "node:path"
import { placeIn } from "../system/placeIn.ts"

type Env = Readonly<Record<string, string | undefined>>

/** A program that has MCP servers configured, and how it is told of one. */
export interface ClientConfig {
  readonly name: string
  /** As people call it. */
  readonly title: string
  /** Where a user or a project has them, the user's first. */
  readonly files: (home: string, project: string, env: Env) => ReadonlyArray<string>
  /** The member that holds them. */
  readonly member: "mcpServers" | "servers" | "mcp" | "mcp_servers"
  /** The steps to others, of one project. */
  readonly more?: (project: string) => ReadonlyArray<ReadonlyArray<string>>
  /** What its files are written in; JSON with comments if unset. */
  readonly format?: "toml"
  /** What to paste so that it starts this program as a server. */
  readonly block: (program: StartedProgram) => string
}

/** A program with what a client gives it. */
export interface StartedProgram {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Variables besides those that the client has itself. */
  readonly env: Readonly<Record<string, string>>
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** The variables under a client's word for them; nothing where there are none. */
const variables = (word: "env" | "environment", env: StartedProgram["env"]) =>
  Object.keys(env).length === 0 ? {} : { [word]: env }

/** JSON strings are strings of TOML too. */
const toml = ({ args, command, env }: StartedProgram): string => {
  const given = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  const lines = [
    "[mcp_servers.tollgate]",
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((arg) => JSON.stringify(arg)).join(", ")}]`,
    ...(given.length === 0 ? [] : [`env = { ${given.join(", ")} }`])
  ]
  return `${lines.join("\n")}\n`
}

export const clients: ReadonlyArray<ClientConfig> = [
  {
    name: "claude",
    title: "Claude Code",
    files: (home, project, env) => [
      path.join(placeIn(env["CLAUDE_CONFIG_DIR"], home), ".claude.json"),
      path.join(project, ".mcp.json")
    ],
    member: "mcpServers",
    more: (project) => [["projects", project, "mcpServers"]],
    block: ({ args, command, env }) =>
      json({ mcpServers: { tollgate: { type: "stdio", command, args, ...variables("env", env) } } })
  },
  {
    name: "codex",
    title: "Codex",
    files: (home, project, env) => [
      path.join(placeIn(env["CODEX_HOME"], path.join(home, ".codex")), "config.toml"),
      path.join(project, ".codex", "config.toml")
    ],
    member: "mcp_servers",
    format: "toml",
    block: toml
  },
  {
    name: "opencode",
    title: "opencode",
    files: (home, project, env) =>
      [path.join(placeIn(env["XDG_CONFIG_HOME"], path.join(home, ".config")), "opencode"), project].flatMap((at) => [
        path.join(at, "opencode.json"),
        path.join(at, "opencode.jsonc")
      ]),
    member: "mcp",
    block: ({ args, command, env }) =>
      json({
        mcp: {
          tollgate: {
            type: "local",
            command: [command, ...args],
            ...variables("environment", env),
            enabled: true
          }
        }
      })
  },
  {
    name: "cursor",
    title: "Cursor",
    files: (home, project) => [path.join(home, ".cursor", "mcp.json"), path.join(project, ".cursor", "mcp.json")],
    member: "mcpServers",
    block: ({ args, command, env }) => json({ mcpServers: { tollgate: { command, args, ...variables("env", env) } } })
  },
  {
    name: "vscode",
    title: "VS Code",
    files: (home, project, env) => [
      process.platform === "darwin"
        ? path.join(home, "Library", "Application Support", "Code", "User", "mcp.json")
        : path.join(placeIn(env["XDG_CONFIG_HOME"], path.join(home, ".config")), "Code", "User", "mcp.json"),
      path.join(project, ".vscode", "mcp.json")
    ],
    member: "servers",
    block: ({ args, command, env }) =>
      json({ servers: { tollgate: { type: "stdio", command, args, ...variables("env", env) } } })
  }
]
