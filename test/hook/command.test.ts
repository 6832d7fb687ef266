// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off - drives real processes from outside
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { agents } from "../../src/hook/agents.ts"
import { type Ended, place, type Place, shell, tollgate } from "../cli/command.ts"
import { database } from "../cli/stored.ts"
import { built } from "../support/built.ts"
import { Sqlite } from "../support/Sqlite.ts"
import { until } from "../support/until.ts"
import { meaning, shellPayload } from "./support.ts"

let launcher: string
beforeAll(async () => {
  launcher = await built()
})
const places: Array<Place> = []
/** Where compiled code is kept, and the socket of the daemon with it. */
let cache = ""
const one = (): Place => {
  const made = place()
  fs.mkdirSync(path.join(made.work, ".git"))
  places.push(made)
  return { ...made, env: { ...made.env, TOLLGATE_CACHE: cache } }
}
afterAll(() => places.forEach(({ remove }) => remove()))

const hook = (at: Place, agent: string, input: string | Buffer, env: object = {}): Promise<Ended> =>
  tollgate(at, ["hook", agent], input, env)
const sent = (at: Place, agent: string, command: string) => JSON.stringify(shellPayload(agent, command, at.work))
const config = (at: Place, text: string): void => {
  fs.mkdirSync(at.env["TOLLGATE_HOME"]!, { recursive: true })
  fs.writeFileSync(path.join(at.env["TOLLGATE_HOME"]!, "config.json"), text)
}
/** Whether a process has a handler for a signal, by what the kernel says. */
const catches = (pid: number, signal: number): boolean => {
  const [, caught = "0"] = /^SigCgt:\s*([0-9a-f]+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return ((BigInt(`0x${caught}`) >> BigInt(signal - 1)) & 1n) === 1n
}
/** Takes one call down, and puts it into the audit. */
const used = async (at: Place, agent: string): Promise<void> => {
  assert.strictEqual((await hook(at, agent, sent(at, agent, "ls"))).code, 0)
  const { code, stderr } = await tollgate(at, ["hook", "collect"])
  assert.strictEqual(code, 0, stderr)
}
const cannotAsk = new Set(["codex", "gemini", "opencode", "cursor"])

/** What must never be allowed, however it comes about. */
const broken: ReadonlyArray<
  readonly [what: string, prepare: (at: Place, agent: string) => string | Buffer | Promise<string | Buffer>]
> = [
  ["no payload", () => ""],
  ["half of a payload", (at, agent) => sent(at, agent, "npm test").slice(0, -20)],
  ["text before the payload", (at, agent) => `profile says hello\n${sent(at, agent, "npm test")}`],
  ["a list", () => "[]"],
  ["bytes that are no text", () => Buffer.from([0xff, 0xfe, 0x00, 0x80])],
  ["a payload of 9 MiB", (at, agent) => sent(at, agent, `echo ${"a".repeat(9 * 1024 * 1024)}`)],
  [
    "a tool that is not known",
    (at, agent) =>
      sent(at, agent, "npm test").replace(/"(?:Bash|bash|run_shell_command|beforeShellExecution)"/, '"Frobnicate"')
  ],
  ["parameters that are not the tool's", (at, agent) => sent(at, agent, "npm test").replace('"command"', '"cmdline"')],
  ["a directory that is gone", (at, agent) => JSON.stringify(shellPayload(agent, "npm test", `${at.work}/gone`))],
  [
    "a configuration that is no JSON",
    (at, agent) => {
      config(at, "{")
      return sent(at, agent, "npm test")
    }
  ],
  [
    "a rule with a mistake",
    (at, agent) => {
      config(at, JSON.stringify({ approvals: { rules: [{ id: "x", decision: "deny", tol: "*" }] } }))
      return sent(at, agent, "npm test")
    }
  ],
  [
    "a database that is none",
    (at, agent) => {
      config(at, "{}")
      fs.writeFileSync(database(at), "not a database, but long enough to be taken for one".repeat(100))
      return sent(at, agent, "npm test")
    }
  ],
  [
    "a database that is gone",
    async (at, agent) => {
      await used(at, agent)
      for (const end of ["", "-wal", "-shm"]) fs.rmSync(`${database(at)}${end}`, { force: true })
      return sent(at, agent, "ls")
    }
  ],
  [
    "half of a database",
    async (at, agent) => {
      await used(at, agent)
      fs.truncateSync(database(at), Math.floor(fs.statSync(database(at)).size / 2))
      return sent(at, agent, "ls")
    }
  ],
  [
    "an audit that cannot be written",
    (at, agent) => {
      config(at, "{}")
      fs.writeFileSync(path.join(at.env["TOLLGATE_HOME"]!, "hooks"), "")
      return sent(at, agent, "npm test")
    }
  ]
]

describe.each(["by itself", "by its daemon"])("tollgate hook, %s", (way) => {
  beforeAll(async () => {
    const home = place()
    // The name of a socket there would be too long.
    cache = path.join(home.home, way === "by itself" ? "c".repeat(120) : "c")
    if (way === "by itself") return void places.push(home)
    const kept = path.join(cache, "tollgate")
    fs.mkdirSync(kept, { recursive: true, mode: 0o700 })
    const env = { ...home.env, TOLLGATE_CACHE: cache }
    const daemon = spawn(process.execPath, [launcher, "hook", "daemon"], { cwd: home.work, env, stdio: "ignore" })
    places.push({ ...home, remove: () => (daemon.kill(), home.remove()) })
    await until(() => fs.readdirSync(kept).some((name) => name.endsWith(".sock")))
  })

  for (const [index, [what, prepare]] of broken.entries()) {
    it(`asks or denies, and ends with 0, given ${what} (X5)`, async () => {
      for (const { name } of [agents[index % agents.length]!, agents[(index + 3) % agents.length]!]) {
        const at = one()
        const { code, stderr, stdout } = await hook(at, name, await prepare(at, name))
        assert.strictEqual(code, 0, `${name} ${stderr}`)
        const { reason, said } = meaning(stdout)
        assert.strictEqual(said, cannotAsk.has(name) ? "deny" : "ask", `${name}: ${stdout}`)
        assert.match(reason, /not judged/)
        assert.notMatch(stdout + stderr, /\n\s+at \S|undefined/)
        assert.strictEqual(stderr, "")
      }
    })
  }

  it("ends with 2 where its answer cannot be written, and with 0 where it has none (X5)", async () => {
    const at = one()
    const to = (redirect: string, agent: string, command: string) =>
      shell(at, `'${process.execPath}' '${launcher}' hook ${agent} ${redirect}`, sent(at, agent, command))
    for (const { name } of agents) {
      for (const redirect of [">&-", ...(process.platform === "linux" ? [">/dev/full"] : [])]) {
        const { code, stderr } = await to(redirect, name, "git reset --hard")
        assert.strictEqual(code, 2, `${name} ${redirect} ${stderr}`)
        assert.match(stderr, /^tollgate: The call is denied: its answer cannot be written/)
      }
    }
    assert.strictEqual((await to(">&- 2>&-", "claude", "git reset --hard")).code, 2)
    assert.strictEqual((await to(">&-", "claude", "npm test")).code, 0)
  })

  it("refuses a payload that is not UTF-8 or says one thing twice, and takes that down (X5, A10)", async () => {
    const at = one()
    const payload = sent(at, "claude", "cat a.txt")
    const twice = payload.replace('"tool_name"', '"tool_name":"Read","tool_name"')
    const nested = payload.replace('"command"', '"comm\\u0061nd":"rm x","command"')
    const bytes = Buffer.concat([
      Buffer.from(payload.slice(0, payload.indexOf("cat"))),
      Buffer.from([0xff, 0xc0]),
      Buffer.from(payload.slice(payload.indexOf("cat")))
    ])
    for (const input of [twice, nested, bytes]) {
      const { code, stdout } = await hook(at, "claude", input)
      assert.strictEqual(code, 0)
      assert.strictEqual(meaning(stdout).said, "ask")
    }
    const { stdout } = await tollgate(at, ["approvals", "audit", "--json"])
    assert.strictEqual(stdout.split("hook/not-judged").length - 1, 3, stdout)
  })

  it.runIf(process.platform === "linux")("answers when it is stopped while it waits for the payload (X5)", async () => {
    for (const name of ["claude", "codex", "gemini", "cursor"]) {
      const at = one()
      const child = spawn(process.execPath, [launcher, "hook", name], { cwd: at.work, env: at.env })
      let stdout = ""
      child.stdout.on("data", (text) => (stdout += text))
      const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
      // The last handler that is put up; Node has one of its own for SIGTERM.
      while (!catches(child.pid!, os.constants.signals.SIGHUP)) await setTimeout(10)
      child.kill("SIGTERM")
      assert.strictEqual(await ended, 0)
      assert.strictEqual(meaning(stdout).said, cannotAsk.has(name) ? "deny" : "ask")
    }
  })

  it("answers within its own deadline although the payload never ends (X5)", async () => {
    const at = one()
    const child = spawn(process.execPath, [launcher, "hook", "claude"], { cwd: at.work, env: at.env })
    let stdout = ""
    child.stdout.on("data", (text) => (stdout += text))
    child.stdin.write("{")
    assert.strictEqual(await new Promise((resolve) => child.on("close", resolve)), 0)
    assert.strictEqual(meaning(stdout).said, "ask")
  })

  it("has what it answered in the audit, once, also after kill -9 behind the answer (X5, A10)", async () => {
    const at = one()
    fs.writeFileSync(path.join(at.work, "a.txt"), "a")
    const commands = ["cat a.txt", "npm test", "git reset --hard", "rm -rf /"]
    for (const command of commands) {
      const child = spawn(process.execPath, [launcher, "hook", "claude"], { cwd: at.work, env: at.env })
      const ended = new Promise((resolve) => child.on("close", resolve))
      child.stdout.once("data", () => child.kill("SIGKILL"))
      child.stdin.end(sent(at, "claude", command))
      await ended
    }
    const audit = async () => {
      const { stdout } = await tollgate(at, ["approvals", "audit", "--json"])
      return stdout
    }
    for (const time of [1, 2]) {
      const listed = await audit()
      for (const command of commands) {
        assert.strictEqual(
          listed.split(JSON.stringify(JSON.stringify(command)).slice(1, -1)).length - 1,
          1,
          `${time} ${command} ${listed}`
        )
      }
    }
    const { code, stdout } = await tollgate(at, ["approvals", "audit", "--verify"])
    assert.strictEqual(code, 0, stdout)
  })

  it("takes many calls at once, and what waits while another process takes it in (X5, A10)", async () => {
    const at = one()
    const calls = Array.from({ length: 6 }, (_, index) => `npm run job-${index}`)
    const running = calls.map(
      (command) =>
        new Promise((resolve) => {
          const child = spawn(process.execPath, [launcher, "hook", "codex"], {
            cwd: at.work,
            env: at.env,
            stdio: ["pipe", "ignore", "ignore"]
          })
          child.on("close", resolve)
          child.stdin.end(sent(at, "codex", command))
        })
    )
    await tollgate(at, ["approvals", "audit"])
    await Promise.all(running)
    const { stdout } = await tollgate(at, ["approvals", "audit", "--json"])
    const times = calls.map((command) => stdout.split(`${command}\\`).length - 1)
    // Where the machine is too busy for a verdict in time, that is what is taken down.
    const late = stdout.split("hook/not-judged").length - 1
    assert.strictEqual(
      times.reduce((sum, count) => sum + count, late),
      calls.length,
      stdout
    )
    assert.isAtMost(Math.max(...times), 1, stdout)
    assert.strictEqual((await tollgate(at, ["approvals", "audit", "--verify"])).code, 0)
  })

  it("goes by a rule that was saved with always, and by none that a locked database keeps from it (X5, A6)", async () => {
    const at = one()
    assert.strictEqual((await tollgate(at, ["approvals", "audit"])).code, 0)
    const saved = new Sqlite(database(at))
    // The journal in which a writer keeps readers out, too.
    saved.exec("PRAGMA journal_mode = DELETE")
    const project = fs.realpathSync(at.work)
    const save = (id: string, decision: string, ...argv: ReadonlyArray<string>) =>
      saved.run(
        "INSERT INTO rules (project, id, rule, saved_at) VALUES (?, ?, ?, ?)",
        project,
        id,
        JSON.stringify({ id, decision, level: "user", tool: "run_shell", argv }),
        1
      )
    save("frob", "allow", "frobnicate")
    save("ship", "allow", "npm", "run", "ship")
    const of = async (agent: string, command: string) => {
      const { code, stdout } = await hook(at, agent, sent(at, agent, command))
      assert.strictEqual(code, 0)
      return meaning(stdout).said
    }
    for (const command of ["frobnicate --all", "npm run ship"]) {
      assert.strictEqual(await of("claude", command), "allow", command)
      assert.strictEqual(await of("codex", command), "nothing", command)
      assert.strictEqual(await of("opencode", command), "allow", command)
    }
    assert.strictEqual(await of("claude", "frobnicate2"), "ask")
    // What never runs is not in the power of a rule.
    save("hooks", "allow", "cp")
    assert.strictEqual(await of("claude", "cp x .git/hooks/pre-commit"), "deny")
    saved.run("INSERT INTO rules (project, id, rule, saved_at) VALUES (?, 'odd', '{}', 2)", project)
    const odd = meaning((await hook(at, "claude", sent(at, "claude", "npm run ship"))).stdout)
    assert.strictEqual(odd.said, "ask")
    assert.match(odd.reason, /changed by another program/)
    saved.exec("DELETE FROM rules WHERE id = 'odd'")
    saved.exec("BEGIN EXCLUSIVE")
    assert.strictEqual(await of("claude", "npm run ship"), "ask")
    assert.strictEqual(await of("codex", "npm run ship"), "deny")
    saved.exec("ROLLBACK")
    saved.close()
    assert.strictEqual(await of("claude", "npm run ship"), "allow")
  })

  it("goes by the rules of a project once it is trusted (X5, A6)", async () => {
    const at = one()
    fs.mkdirSync(path.join(at.work, ".tollgate"))
    const rules = [{ id: "ship", decision: "deny", tool: "run_shell", argv: ["npm", "run", "ship"] }]
    fs.writeFileSync(path.join(at.work, ".tollgate", "config.json"), JSON.stringify({ approvals: { rules } }))
    const ship = async () => meaning((await hook(at, "claude", sent(at, "claude", "npm run ship"))).stdout).said
    assert.strictEqual(await ship(), "nothing")
    const { code, stderr } = await tollgate(at, ["trust", "--yes"])
    assert.strictEqual(code, 0, stderr)
    assert.strictEqual(await ship(), "deny")
  })
})
