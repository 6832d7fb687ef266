// @effect-diagnostics asyncFunction:off newPromise:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "./command.ts"

interface Site {
  readonly port: number
  readonly url: string
  readonly connections: () => number
  readonly close: () => Promise<void>
}

const site = (): Promise<Site> =>
  new Promise((resolve) => {
    let connections = 0
    const server = http.createServer((_, response) => response.end("the page"))
    server.on("connection", () => connections++)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      const close = () =>
        new Promise<void>((done) => {
          server.close(() => done())
          server.closeAllConnections()
        })
      resolve({ port, url: `http://127.0.0.1:${port}/`, connections: () => connections, close })
    })
  })

describe("network and sandbox of the configuration", () => {
  let at: Place
  let one: Site
  let other: Site
  beforeEach(async () => {
    at = place()
    one = await site()
    other = await site()
  })
  afterEach(async () => {
    at.remove()
    await Promise.all([one.close(), other.close()])
  })

  const calls = (name: string, given: ReadonlyArray<object>, more: object = {}) =>
    scripted(
      at,
      [{ steps: given.map((input) => ({ call: { name, arguments: input } })) }, { steps: [{ say: "ok" }] }],
      more
    )

  const run = (env: object = {}) => tollgate(at, ["run", "--jsonl", "--dangerously-allow-all", "go"], "", env)

  const explained = async (url: string, env: object = {}) =>
    JSON.parse((await tollgate(at, ["policy", "explain", "url", "--json", url], "", env)).stdout) as {
      readonly decision: string
      readonly rule: string
    }

  it("let fetch_url reach nothing private unless it is opened, and no other port with it (S4)", async () => {
    const urls = [{ url: one.url }, { url: other.url }]
    calls("fetch_url", urls)
    const closed = await run()
    assert.include(closed.stdout, `to allow it, add 127.0.0.1:${one.port} to network.open`)
    assert.deepStrictEqual([one.connections(), other.connections()], [0, 0])
    assert.strictEqual((await explained(one.url)).decision, "deny")

    calls("fetch_url", urls, { network: { open: [`127.0.0.1:${one.port}`] } })
    const opened = await run()
    assert.include(opened.stdout, "the page")
    assert.deepStrictEqual([one.connections(), other.connections()], [1, 0])
    assert.deepInclude(await explained(one.url), { decision: "ask", rule: "network/host-not-listed" })
    assert.deepInclude(await explained(other.url), { decision: "deny", rule: "network/private-address" })
  })

  it("let fetch_url reach the hosts that are listed unasked, and deny before they open (S4)", async () => {
    const open = [`127.0.0.1:${one.port}`]
    calls("fetch_url", [{ url: one.url }], { network: { open, unaskedHosts: ["127.0.0.1"] } })
    assert.strictEqual((await tollgate(at, ["run", "--approve", "fail", "go"])).code, 0)
    assert.strictEqual(one.connections(), 1)
    assert.strictEqual((await explained(one.url)).decision, "allow")

    for (const more of [{ denyHosts: ["127.0.0.1"] }, { allowHosts: ["docs.example"] }]) {
      calls("fetch_url", [{ url: one.url }], { network: { open, unaskedHosts: ["127.0.0.1"], ...more } })
      await run()
      assert.strictEqual(one.connections(), 1)
      assert.strictEqual((await explained(one.url)).decision, "deny")
    }
  })

  it("come from variables as well, and say where from (S4, R13)", async () => {
    calls("fetch_url", [{ url: one.url }])
    const env = { TOLLGATE_NETWORK_OPEN: JSON.stringify([`127.0.0.1:${one.port}`]), TOLLGATE_SANDBOX_TARGET: "none" }
    await run(env)
    assert.strictEqual(one.connections(), 1)
    const { stdout } = await tollgate(at, ["config"], "", env)
    assert.match(stdout, /network\.open +\["127\.0\.0\.1:\d+"\] +\(TOLLGATE_NETWORK_OPEN\)\n/)
    assert.match(stdout, /sandbox\.target +none +\(TOLLGATE_SANDBOX_TARGET\)\n/)
    assert.match(stdout, /sandbox\.network +false +\(default\)\n/)
  })

  it.each([
    ["network.open", '["127.0.0.1"]', "an opt-in is one host and one port"],
    ["network.open", '["*:80"]', "an opt-in is one host and one port"],
    ["network.denyHosts", '["a b"]', "names no host"],
    ["sandbox.target", "chroot", "sandbox.target"],
    ["sandbox.image", "--privileged", "a name without spaces that does not begin with -"],
    ["sandbox.host", "-oProxyCommand=x", "a name without spaces that does not begin with -"]
  ])("%s cannot be %s (S4, R13)", async (key, value, said) => {
    const { code, stderr } = await tollgate(at, ["config", "set", "--", key, value])
    assert.strictEqual(code, 4, stderr)
    assert.include(stderr, said)
  })

  it("are nothing that a project can bring (S4, R13)", async () => {
    fs.mkdirSync(path.join(at.work, ".git"))
    fs.mkdirSync(path.join(at.work, ".tollgate"))
    const theirs = { network: { open: [`127.0.0.1:${one.port}`] }, sandbox: { target: "none" } }
    fs.writeFileSync(path.join(at.work, ".tollgate", "config.json"), JSON.stringify(theirs))
    const trusted = await tollgate(at, ["trust", "--yes"])
    assert.notStrictEqual(trusted.code, 0)
    assert.include(trusted.stderr, "network")
    calls("fetch_url", [{ url: one.url }])
    await run()
    assert.strictEqual(one.connections(), 0)
  })

  const connecting = (port: number) => ({
    command: `${process.execPath} -e "require('net').connect(${port}, '127.0.0.1').on('connect', () => process.exit()).on('error', () => process.exit(3))"`
  })

  it("let a confined command reach the network only where it may; what is not there is never replaced (R13, S3)", async () => {
    const commands = [connecting(one.port)]
    calls("run_shell", commands, { sandbox: { target: "bubblewrap" } })
    const confined = await run()
    if (confined.code === 4) {
      assert.include(confined.stderr, "The configured sandbox bubblewrap cannot be used: ")
      assert.strictEqual(one.connections(), 0)
    } else {
      assert.include(confined.stdout, "exit code 3")
      assert.strictEqual(one.connections(), 0)
      calls("run_shell", commands, { sandbox: { target: "bubblewrap", network: true } })
      assert.include((await run()).stdout, "exit code 0")
      assert.strictEqual(one.connections(), 1)
    }
    const before = one.connections()
    calls("run_shell", commands, { sandbox: { target: "none" } })
    assert.include((await run()).stdout, "exit code 0")
    assert.strictEqual(one.connections(), before + 1)
  })

  it.each([
    [{ target: "container" }, "To set it: tollgate config set sandbox.image NAME"],
    [{ target: "ssh" }, "To set it: tollgate config set sandbox.host NAME"],
    [{ target: "ssh", host: "nobody@host.invalid" }, "Check that ssh nobody@host.invalid needs no input and has /"],
    [{ target: process.platform === "darwin" ? "bubblewrap" : "sandbox-exec" }, "cannot be used: it is for "]
  ])("end a run before it begins where %j is not there (R13)", async (sandbox, said) => {
    calls("run_shell", [{ command: "touch made" }], { sandbox })
    const { code, stderr, stdout } = await run()
    assert.strictEqual(code, 4)
    assert.include(stderr, said)
    assert.include(stderr, "or choose another sandbox.target.")
    assert.strictEqual(stdout, "")
    assert.deepStrictEqual(fs.readdirSync(at.work), [])
  })
})
