import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Option from "effect/Option"
import { argument } from "../Guard.ts"
import { group } from "./group.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

const module = () => import("../McpCommand.ts")
const diffModule = () => import("../mcp/DiffCommand.ts")

const name = argument("name", "the name of the server, which begins the names of its tools")
const { json, yes } = options

const add = Command.make(
  "add",
  {
    name,
    command: argument("command", "after --: the program and its arguments").pipe(Args.repeated),
    url: Options.text("url").pipe(Options.withDescription("the URL of an HTTP server"), Options.optional),
    env: Options.text("env").pipe(
      Options.withDescription("an environment variable for it: NAME or NAME=env:VARIABLE; repeatable"),
      Options.repeated
    ),
    header: Options.text("header").pipe(
      Options.withDescription('a header for its URL, e.g. "Authorization=Bearer env:TOKEN"; repeatable'),
      Options.repeated
    ),
    sandbox: Options.boolean("sandbox").pipe(
      Options.withDescription("run its program in the sandbox: writes only in the workspace, no network")
    ),
    yes
  },
  (given) => load(module, ({ add }) => add(given))
).pipe(Command.withDescription("Add an MCP server: show its command, start it, and approve the tools it has now"))

const list = Command.make("list", options.listing, (given) => load(module, ({ list }) => list(given))).pipe(
  Command.withDescription("List MCP servers with their approvals and token cost, without starting any")
)

const show = Command.make("show", { name, json }, (given) => load(module, ({ show }) => show(given))).pipe(
  Command.withDescription("Show an MCP server: its command, its variables, and all that it offers")
)

const diff = Command.make("diff", { name, json }, (given) => load(diffModule, ({ diff }) => diff(given))).pipe(
  Command.withDescription("Start an MCP server and show what it offers against what was approved")
)

const trust = Command.make(
  "trust",
  {
    name,
    only: Options.text("only").pipe(Options.withDescription("approve only this name; repeatable"), Options.repeated),
    yes
  },
  (given) => load(diffModule, ({ trust }) => trust(given))
).pipe(Command.withDescription("Start an MCP server, show what is not approved yet, and approve it"))

const remove = Command.make("remove", { name }, (given) => load(module, ({ remove }) => remove(given.name))).pipe(
  Command.withDescription("Remove an MCP server and its approvals")
)

const loginModule = () => import("../mcp/LoginCommand.ts")

const login = Command.make(
  "login",
  {
    name,
    scope: Options.text("scope").pipe(
      Options.withDescription("the scope to ask for, instead of the server's own"),
      Options.optional
    ),
    noBrowser: Options.boolean("no-browser").pipe(Options.withDescription("only print the address; open it yourself"))
  },
  (given) => load(loginModule, ({ login }) => login(given))
).pipe(Command.withDescription("Log in to an MCP server with a URL, in a browser"))

const logout = Command.make("logout", { name }, (given) => load(loginModule, ({ logout }) => logout(given.name))).pipe(
  Command.withDescription("Log out of an MCP server and revoke its tokens")
)

const gatewayModule = () => import("../mcp/GatewayCommand.ts")

const importModule = () => import("../mcp/ImportCommand.ts")
const clients = ["claude", "codex", "opencode", "cursor", "vscode"] as const

const print = Options.choice("print", clients).pipe(
  Options.withDescription("only print the configuration for this client"),
  Options.optional
)

const listening = {
  listen: Options.text("listen").pipe(
    Options.withDescription(
      "serve clients over HTTP at this address, e.g. 127.0.0.1:4748, instead of the one that starts it"
    ),
    Options.optional
  ),
  names: Options.text("host").pipe(
    Options.withDescription("with --listen, a host name that clients may use; repeatable"),
    Options.repeated
  )
}

const server = Options.text("server").pipe(
  Options.withDescription("offer only this server, under its own tool names"),
  Options.optional
)

const gateway = Command.make("gateway", { ...options.gate, print, server, ...listening }, ({ print, ...given }) =>
  Option.match(print, {
    onNone: () => load(gatewayModule, ({ gateway }) => gateway(given)),
    onSome: (client) => load(importModule, (module) => module.print(client, given))
  })
).pipe(Command.withDescription("Serve the tools of all your MCP servers as one, behind the gate"))

const serve = Command.make("serve", { ...options.gate, ...listening }, (given) =>
  load(gatewayModule, ({ serve }) => serve(given))
).pipe(Command.withDescription("Serve Tollgate's own tools over MCP, behind the gate"))

const importing = Command.make("import", { client: argument("client", clients.join(", ")) }, ({ client }) =>
  load(importModule, (module) => module.importing(client))
).pipe(Command.withDescription("Print the commands that add the MCP servers of another client"))

/** `tollgate mcp` */
export const mcp = group(
  Command.make("mcp", {}, () => load(module, ({ list }) => list({ json: false, jsonl: false }))).pipe(
    Command.withDescription("Put the tools of MCP servers behind the gate")
  ),
  [add, list, show, diff, trust, remove, login, logout, gateway, serve, importing]
)
