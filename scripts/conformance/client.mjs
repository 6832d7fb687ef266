// The client that the conformance suite starts, with the address of its server as the last argument: Tollgate with that server
// configured, behind its gateway, asked by a plain client for all that there is.
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const [launcher, url] = process.argv.slice(2)
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ""
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}")
const home = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-conformance-client-"))
const work = path.join(home, "work")
const own = path.join(home, "tollgate")
fs.mkdirSync(work)
fs.mkdirSync(own)
const registered = context.client_id !== undefined
const login = registered ? { login: { clientId: context.client_id, clientSecret: "env:SECRET" } } : {}
fs.writeFileSync(
  path.join(own, "config.json"),
  JSON.stringify({
    mcp: {
      servers: {
        it: { url, passes: ["sampling", "roots"], timeouts: { connect: "50 seconds", list: "50 seconds" }, ...login }
      }
    }
  })
)
const env = {
  PATH: process.env.PATH,
  HOME: home,
  TOLLGATE_HOME: own,
  ...(registered && { SECRET: context.client_secret })
}

/** Runs the command; the page of a login is visited as a browser would. */
const tollgate = (...args) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [launcher, ...args], { cwd: work, env, stdio: ["ignore", "pipe", "pipe"] })
    let said = ""
    let visited = false
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (piece) => {
        said += piece
        const page = /^ {2}(https?:\S+)\n/m.exec(said)?.[1]
        if (page === undefined || visited) return
        visited = true
        fetch(page).catch((error) => process.stderr.write(`${error}\n`))
      })
    child.on("close", (code) => {
      process.stderr.write(said)
      resolve({ code, said })
    })
  })

/** Something that a schema takes. */
const sample = ({ properties = {}, required = [] }) =>
  Object.fromEntries(
    required.map((name) => {
      const { type } = properties[name] ?? {}
      return [name, type === "number" || type === "integer" ? 3 : type === "boolean" ? true : "x"]
    })
  )

const main = async () => {
  if (scenario.startsWith("auth/")) {
    const { code } = await tollgate("mcp", "login", "it", "--no-browser")
    if (code !== 0) process.exit(1)
  }
  await tollgate("mcp", "trust", "it", "--yes")
  const client = new Client(
    { name: "host", version: "1" },
    { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} }, versionNegotiation: { mode: "auto" } }
  )
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: {} }))
  const args = [launcher, "mcp", "gateway", "--server", "it", "--dangerously-allow-all"]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: work, env, stderr: "inherit" }))
  const { tools } = await client.listTools()
  const focal = tools.find(({ name }) => name === "json_schema_2020_12_tool")
  const calls =
    context.toolCalls ??
    tools.map(({ inputSchema, name }) => ({
      name,
      arguments: name === "json_schema_echo" ? { schema: focal?.inputSchema } : sample(inputSchema)
    }))
  const quietly = (asked) => asked.catch((error) => process.stderr.write(`${error.message}\n`))
  for (const call of calls)
    await quietly(client.callTool(call).then((it) => process.stderr.write(`${JSON.stringify(it)}\n`)))
  const { resources } = await client.listResources()
  for (const { uri } of resources) await quietly(client.readResource({ uri }))
  const { prompts } = await client.listPrompts()
  for (const { name } of prompts) await quietly(client.getPrompt({ name }))
  await client.close()
}

main().finally(() => fs.rmSync(home, { recursive: true, force: true }))
