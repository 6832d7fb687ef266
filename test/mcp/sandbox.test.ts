// @effect-diagnostics asyncFunction:off newPromise:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as http from "node:http"
import type * as net from "node:net"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "../cli/command.ts"
import { systemProgram } from "../../src/sandbox/systemProgram.ts"
import { spawnSync } from "node:child_process"

/** Whether programs can be confined on this machine. */
const confines =
  spawnSync(systemProgram("bwrap"), ["--ro-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "true"]).status === 0

/** Does what its arguments say, and tells what came of it. */
const program = `
import * as fs from "node:fs"
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
const tried = async (run) => { try { return String(await run()) } catch (error) { return error.cause?.code ?? error.code ?? "failed" } }
const does = {
  write: ({ path }) => tried(() => (fs.writeFileSync(path, "x"), "written")),
  read: ({ path }) => tried(() => fs.readFileSync(path, "utf8")),
  reach: ({ url }) => tried(() => fetch(url).then(({ status }) => status))
}
const handle = async ({ id, method, params }) => {
  if (method === "initialize")
    return send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "t", version: "1" } } })
  if (method === "tools/list")
    return send({ id, result: { tools: Object.keys(does).map((name) => ({ name, description: name, inputSchema: { type: "object" } })) } })
  if (method === "tools/call")
    return send({ id, result: { content: [{ type: "text", text: "came " + (await does[params.name](params.arguments)) }] } })
}
let held = ""
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (held + chunk).split("\\n")
  held = lines.pop()
  for (const line of lines) handle(JSON.parse(line))
}).on("end", () => process.exit(0))
`

describe("a server in the sandbox", () => {
  let at: Place
  let page: http.Server
  let url: string
  beforeEach(async () => {
    at = place()
    page = http.createServer((_, response) => response.end("here"))
    await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve))
    url = `http://127.0.0.1:${(page.address() as net.AddressInfo).port}/`
  })
  afterEach(() => {
    page.closeAllConnections()
    page.close()
    at.remove()
  })

  it.runIf(confines)("writes in the workspace alone, and has no credentials and no network (G4)", async () => {
    scripted(at, [])
    const file = path.join(at.home, "program.mjs")
    fs.writeFileSync(file, program)
    fs.mkdirSync(path.join(at.home, ".ssh"))
    fs.writeFileSync(path.join(at.home, ".ssh/id_rsa"), "hush-hush")
    const added = await tollgate(at, ["mcp", "add", "box", "--sandbox", "--yes", "--", process.execPath, file])
    assert.include(added.stdout, "which runs in the sandbox")
    assert.strictEqual(added.code, 0)
    const call = async (tool: string, parameters: object) => {
      const words = ["tool", `box__${tool}`, JSON.stringify(parameters), "--dangerously-allow-all"]
      return (await tollgate(at, words)).stdout
    }
    assert.include(await call("write", { path: path.join(at.work, "a.txt") }), "came written")
    assert.strictEqual(fs.readFileSync(path.join(at.work, "a.txt"), "utf8"), "x")
    assert.match(await call("write", { path: path.join(at.home, "b.txt") }), /came E/)
    assert.match(await call("write", { path: path.join(at.work, ".tollgate/settings.json") }), /came E/)
    assert.isFalse(fs.existsSync(path.join(at.home, "b.txt")))
    assert.notInclude(await call("read", { path: path.join(at.home, ".ssh/id_rsa") }), "hush")
    assert.notInclude(await call("reach", { url }), "200")
    assert.include((await tollgate(at, ["tools"])).stdout, "box__write")
    const explained = await tollgate(at, ["approvals", "explain", "box__write", "{}"])
    assert.include(explained.stdout, "box__write")
    const doctor = await tollgate(at, ["doctor"])
    assert.include(doctor.stdout + doctor.stderr, "runs in the sandbox")
  })

  it("does not start where nothing holds it (G4)", async () => {
    scripted(at, [], { sandbox: { target: "none" } })
    const file = path.join(at.home, "program.mjs")
    fs.writeFileSync(file, program)
    const added = await tollgate(at, ["mcp", "add", "box", "--sandbox", "--yes", "--", process.execPath, file])
    assert.notStrictEqual(added.code, 0)
    assert.include(added.stderr, "nothing holds it here")
  })
})
