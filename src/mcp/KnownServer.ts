import { sha256 } from "../approval/Digest.ts"
import type { McpServer, ToolSettings } from "./McpServer.ts"

/** A configured server and whose word it stands on. */
export interface KnownServer {
  readonly name: string
  /** The user's configuration, the `.mcp.json` of a trusted project, or the editor that a session belongs to. */
  readonly origin: "user" | "project" | "editor"
  readonly server: McpServer
  /** Variables or headers that the file of a project or an editor spells out; nothing of the user's environment. */
  readonly given: Readonly<Record<string, string>>
}

export const isProgram = (server: McpServer): server is Extract<McpServer, { readonly command: unknown }> =>
  "command" in server

/** Says what a server is: what is approved of one counts for no other. */
export const identityOf = ({ given, server }: KnownServer): string =>
  sha256(
    isProgram(server)
      ? { command: server.command, env: server.env ?? {}, given }
      : { url: server.url, headers: server.headers ?? {}, given }
  )

/** What the user says of one of its tools; nothing of a tool that the user has not named. */
export const settingsOf = ({ server }: KnownServer, tool: string): ToolSettings =>
  server.tools !== undefined && Object.hasOwn(server.tools, tool) ? (server.tools[tool] ?? {}) : {}

/** What the sandbox lets a server do; nothing where it runs with the rights of the user. */
export const sandboxOf = ({
  server
}: KnownServer): { readonly network: boolean; readonly write: boolean } | undefined => {
  if (!isProgram(server) || server.sandbox === undefined || server.sandbox === false) return undefined
  const { network = false, write = true } = server.sandbox === true ? {} : server.sandbox
  return { network, write }
}
