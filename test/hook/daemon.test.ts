// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off - drives real processes from outside
import { it as effectIt } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import type { Stream } from "node:stream"
import { setTimeout } from "node:timers/promises"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { agents } from "../../src/hook/agents.ts"
import { placeOf } from "../../src/hook/daemon/Wire.ts"
import { isJudged, type Response, respond } from "../../src/hook/Response.ts"
import { place, type Place, tollgate } from "../cli/command.ts"
import { built } from "../support/built.ts"
import { until } from "../support/until.ts"
import { agent, meaning, payload, payloadFiles, shellPayload } from "./support.ts"

/** A place with compiled code of its own, and so a daemon of its own. */
interface Site extends Place {
  readonly cache: string
  readonly socket: string
  readonly daemon: () => Promise<ChildProcess>
}

let launcher: string
let bundle: string
beforeAll(async () => {
  launcher = await built()
  bundle = /hook-([0-9a-f]{16})\.sock/.exec(fs.readFileSync(launcher, "utf8"))?.[1] ?? ""
})
const sites: Array<{ readonly remove: () => void }> = []
afterAll(() => sites.forEach(({ remove }) => remove()))

const site = (): Site => {
  const made = place()
  fs.mkdirSync(path.join(made.work, ".git"))
  fs.mkdirSync(made.env["TOLLGATE_HOME"]!, { recursive: true })
  const base = path.join(made.home, "c")
  const cache = path.join(base, "tollgate")
  fs.mkdirSync(cache, { recursive: true, mode: 0o700 })
  const env = { ...made.env, TOLLGATE_CACHE: base }
  const socket = path.join(cache, `hook-${bundle}.sock`)
  const children: Array<ChildProcess> = []
  const daemon = async () => {
    const child = spawn(process.execPath, [launcher, "hook", "daemon"], { cwd: made.work, env, stdio: "ignore" })
    children.push(child)
    await until(() => fs.existsSync(socket) || child.exitCode !== null)
    assert.isNull(child.exitCode)
    return child
  }
  const remove = () => {
    for (const child of children) child.kill("SIGKILL")
    made.remove()
  }
  sites.push({ remove })
  return { ...made, env, cache, socket, daemon, remove }
}

/** Connects to a socket that is there, as soon as it is listened at. */
const connected = async (file: string): Promise<net.Socket> => {
  const socket = net.connect(file)
  const refused = await new Promise((resolve, reject) => {
    socket.once("connect", () => resolve(false))
    socket.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNREFUSED" ? resolve(true) : reject(error)
    )
  })
  if (refused === false) return socket
  await setTimeout(10)
  return connected(file)
}

/** What the daemon says to a text; nothing where it closes instead. */
const said = async (file: string, text: string): Promise<string> => {
  const socket = await connected(file)
  return new Promise((resolve, reject) => {
    let answer = ""
    socket.setEncoding("utf8").on("data", (piece: string) => (answer += piece))
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "EPIPE" || error.code === "ECONNRESET" ? resolve(answer) : reject(error)
    )
    socket.on("close", () => resolve(answer))
    socket.end(text)
  })
}

const askedOf = (at: Site, name: string, sent: string, more: object = {}): string =>
  JSON.stringify({ place: placeOf(), agent: name, payload: sent, env: at.env, directory: at.work, ...more })

/** What a response says, whoever made it and when. */
const essence = ({ event, spool, spooled, stdout }: Response) => ({
  stdout,
  spool,
  event,
  entry: spooled?.entry
})

const hook = (at: Site, name: string, input: string, env: object = {}) =>
  new Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>((resolve) => {
    const child = spawn(process.execPath, [launcher, "hook", name], { cwd: at.work, env: { ...at.env, ...env } })
    let [stdout, stderr] = ["", ""]
    child.stdout.on("data", (text) => (stdout += String(text)))
    child.stderr.on("data", (text) => (stderr += String(text)))
    child.on("close", (status) => resolve({ status, stdout, stderr }))
    child.stdin.on("error", () => {})
    child.stdin.end(input)
  })

const shell = (at: Site, command: string, name = "claude") => JSON.stringify(shellPayload(name, command, at.work))

/** Lines that were taken down. */
const taken = (at: Site): number => {
  const file = path.join(at.env["TOLLGATE_HOME"]!, "hooks", "audit.jsonl")
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").length - 1 : 0
}

describe.runIf(process.getuid !== undefined)("the daemon of hooks", () => {
  const pieces = ["cat a.txt", "npm test", "rm -rf /", "git reset --hard", "curl https://example.com", "ls", "$(", "'"]
  const commands = FastCheck.array(FastCheck.oneof(FastCheck.constantFrom(...pieces), FastCheck.string()), {
    minLength: 1,
    maxLength: 4
  }).map((parts) => parts.join(" && "))
  const payloads = FastCheck.oneof(
    FastCheck.record({ name: FastCheck.constantFrom(...agents.map((one) => one.name)), command: commands }).map(
      ({ command, name }) => ({ name, of: (at: Site) => JSON.stringify(shellPayload(name, command, at.work)) })
    ),
    FastCheck.constantFrom(...payloadFiles).map((file) => ({
      name: file.split("-")[0] ?? "",
      of: (at: Site) => JSON.stringify(payload(file, at.work))
    })),
    FastCheck.json().map((text) => ({ name: "claude", of: () => text }))
  )

  let shared: Site
  beforeAll(async () => {
    shared = site()
    await shared.daemon()
  })

  effectIt.live.prop(
    "answers what the process itself would, 40 at once (X5)",
    [FastCheck.array(payloads, { minLength: 1, maxLength: 40 })],
    ([sent]) =>
      Effect.gen(function* () {
        const around = { env: shared.env, directory: shared.work }
        const answers = yield* Effect.promise(() =>
          Promise.all(sent.map(({ name, of }) => said(shared.socket, askedOf(shared, name, of(shared)))))
        )
        for (const [index, { name, of }] of sent.entries()) {
          const alone = yield* respond(agent(name), of(shared), around)
          // Another process may be able to judge what this one cannot.
          if (!isJudged(alone)) {
            assert.strictEqual(answers[index], "")
            continue
          }
          const answered = JSON.parse(answers[index] ?? "") as Response
          assert.deepStrictEqual(essence(answered), JSON.parse(JSON.stringify(essence(alone))))
        }
        assert.strictEqual(taken(shared), 0, "it takes nothing down itself")
      }),
    { fastCheck: { numRuns: 30 } }
  )

  it("goes by the rules, the files and the environment of each call, as they are then (X5)", async () => {
    const at = site()
    await at.daemon()
    const decide = async (env: object = {}) =>
      meaning((JSON.parse(await said(at.socket, askedOf(at, "claude", shell(at, "npm test"), env))) as Response).stdout)
        .said
    const rules = (decision: string, home = at.env["TOLLGATE_HOME"]!) => {
      fs.mkdirSync(home, { recursive: true })
      const rule = { id: "r", decision, tool: "run_shell", argv: ["npm"] }
      fs.writeFileSync(path.join(home, "config.json"), JSON.stringify({ approvals: { rules: [rule] } }))
    }
    assert.strictEqual(await decide(), "nothing")
    rules("deny")
    assert.strictEqual(await decide(), "deny")
    rules("allow")
    assert.strictEqual(await decide(), "allow")
    const other = path.join(at.home, "other")
    rules("ask", other)
    assert.strictEqual(await decide({ env: { ...at.env, TOLLGATE_HOME: other } }), "ask")
    assert.strictEqual(
      await decide({ env: { ...at.env, CLAUDE_PROJECT_DIR: "." } }),
      "allow",
      "not from its own directory"
    )
    const key = "sk-ant-REDACTED-of-this-call"
    const secret = askedOf(at, "claude", shell(at, `npm publish ${key}`), {
      env: { ...at.env, ANTHROPIC_API_KEY: key }
    })
    assert.notInclude(await said(at.socket, secret), key)
  })

  it("judges for nobody who stands elsewhere, or says what it does not know, and goes on (X5)", async () => {
    const sent = shell(shared, "npm test")
    const good = askedOf(shared, "claude", sent)
    for (const text of [
      "",
      "{",
      "null",
      "[]",
      "x".repeat(100_000),
      good.slice(0, -2),
      askedOf(shared, "claude", sent, { place: `${placeOf()} ` }),
      askedOf(shared, "claude", sent, { env: null }),
      askedOf(shared, "claude", sent, { directory: 1 }),
      askedOf(shared, "clade", sent),
      askedOf(shared, "claude", "{"),
      askedOf(shared, "claude", sent, { env: { HOME: "relative" } }),
      askedOf(shared, "claude", "x".repeat(9 * 1024 * 1024)),
      "x".repeat(40 * 1024 * 1024)
    ])
      assert.strictEqual(await said(shared.socket, text), "", text.slice(0, 60))
    const silent = Array.from({ length: 20 }, () => net.connect(shared.socket).on("error", () => {}))
    assert.include(await said(shared.socket, good), '"stdout"')
    for (const one of silent) one.destroy()
  })

  it("is started by hooks that run often, for its user alone, and ends with its place (X5)", async () => {
    const at = site()
    for (let run = 0; run < 4; run++) {
      assert.isFalse(fs.existsSync(at.socket))
      assert.strictEqual((await hook(at, "claude", shell(at, "npm test"))).status, 0)
    }
    await until(() => fs.existsSync(at.socket))
    assert.strictEqual(fs.statSync(at.socket).mode & 0o777, 0o600)
    assert.include(await said(at.socket, askedOf(at, "claude", shell(at, "ls"))), '"stdout"')
    assert.strictEqual(meaning((await hook(at, "claude", shell(at, "rm -rf /"))).stdout).said, "deny")
    assert.strictEqual(taken(at), 5)
    assert.strictEqual((await tollgate(at, ["approvals", "audit", "--verify"])).code, 0)
    const gone = net.connect(at.socket)
    await new Promise((resolve) => gone.once("connect", resolve))
    fs.rmSync(at.cache, { recursive: true })
    // Its sockets are closed when its process ends.
    await new Promise((resolve) => gone.on("error", () => {}).once("close", resolve))
    assert.isFalse(fs.existsSync(at.cache))
  })

  it("is started with nothing of the hook that starts it: no options for Node, no descriptors (X5)", async () => {
    const at = site()
    const log = path.join(at.home, "log")
    const preload = path.join(at.home, "preload.cjs")
    fs.writeFileSync(preload, `require("node:fs").appendFileSync(${JSON.stringify(log)}, process.argv[3] + "\\n")`)
    const inherited = 40
    for (let run = 0; run < 4; run++) {
      const child = spawn(process.execPath, [launcher, "hook", "claude"], {
        cwd: at.work,
        env: { ...at.env, NODE_OPTIONS: `--require ${preload}` },
        stdio: Array.from({ length: inherited + 1 }, (_, index) =>
          index === 0 || index === inherited ? "pipe" : "ignore"
        )
      })
      const streams: ReadonlyArray<Stream | null | undefined> = child.stdio
      const closed = new Promise((resolve) => streams[inherited]?.on("data", () => {}).once("end", resolve))
      child.stdin!.end(shell(at, "npm test"))
      await closed
    }
    await until(() => fs.existsSync(at.socket))
    assert.include(await said(at.socket, askedOf(at, "claude", shell(at, "ls"))), '"stdout"')
    assert.strictEqual(fs.readFileSync(log, "utf8"), "claude\n".repeat(4))
    fs.rmSync(at.socket)
  })

  it("listens nowhere without a place of its own, and says so (X5)", () => {
    const at = site()
    const { status, stderr } = spawnSync(process.execPath, [launcher, "hook", "daemon"], {
      cwd: at.work,
      env: { ...at.env, TOLLGATE_CACHE: "" },
      encoding: "utf8"
    })
    assert.strictEqual(status, 1)
    assert.match(stderr, /^tollgate: There is no daemon here: [^\n]+\n$/)
  })

  it("ends when another has its place, and removes its own when it is told to end (X5)", async () => {
    const at = site()
    const first = await at.daemon()
    const ended = new Promise((resolve) => first.once("exit", resolve))
    fs.rmSync(at.socket)
    const second = await at.daemon()
    await ended
    assert.isTrue(fs.existsSync(at.socket))
    const over = new Promise((resolve) => second.once("exit", resolve))
    second.kill("SIGTERM")
    await over
    assert.isFalse(fs.existsSync(at.socket))
  })
})

describe.runIf(process.getuid !== undefined)("a hook beside a daemon that fails", () => {
  const servers: Array<net.Server> = []
  afterEach(() => servers.splice(0).forEach((server) => server.close()))
  /** Something that is no daemon of ours, at its place; how many have come to it. */
  const instead = async (at: Site, meet: (socket: net.Socket) => void): Promise<() => number> => {
    let met = 0
    const open: Array<net.Socket> = []
    const server = net.createServer({ allowHalfOpen: true }, (socket) => {
      met++
      open.push(socket.on("error", () => {}))
      meet(socket)
    })
    sites.push({ remove: () => open.forEach((socket) => socket.destroy()) })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(at.socket, resolve))
    return () => met
  }

  const failing: Readonly<Record<string, (socket: net.Socket) => void>> = {
    "closes at once": (socket) => void socket.destroy(),
    "says nothing": () => {},
    "says what is no answer": (socket) => void socket.end('{"stdout":1}'),
    "says half of an answer": (socket) => void socket.end('{"stdout":"'),
    "never ends": (socket) => {
      const piece = Buffer.alloc(1024 * 1024, "x")
      const more = (): void => {
        while (!socket.destroyed && socket.write(piece));
      }
      socket.on("drain", more)
      more()
    }
  }
  for (const [what, meet] of Object.entries(failing))
    it(`judges itself, and takes it down once, where it ${what} (X5, A10)`, async () => {
      const at = site()
      const met = await instead(at, meet)
      for (const [command, decision] of [
        ["rm -rf /", "deny"],
        ["npm test", "nothing"]
      ] as const) {
        const before = taken(at)
        const { status, stderr, stdout } = await hook(at, "claude", shell(at, command))
        assert.strictEqual(status, 0, stderr)
        assert.strictEqual(meaning(stdout).said, decision)
        assert.strictEqual(taken(at), before + 1)
      }
      assert.isAbove(met(), 0)
      // One that says nothing is not waited for again.
      if (what === "says nothing") assert.strictEqual(met(), 1)
    })

  it("answers when it is stopped while it waits, and denies where it cannot be told what was asked (X5)", async () => {
    const at = site()
    let child: ChildProcess | undefined
    await instead(at, () => child?.kill("SIGTERM"))
    child = spawn(process.execPath, [launcher, "hook", "claude"], { cwd: at.work, env: at.env })
    let stdout = ""
    child.stdout!.on("data", (text) => (stdout += String(text)))
    child.stdin!.end(shell(at, "npm test"))
    assert.strictEqual(await new Promise((resolve) => child!.on("close", resolve)), 0)
    assert.deepInclude(meaning(stdout), { said: "ask" })
    assert.include(meaning(stdout).reason, "it was stopped")
  })

  it("goes to no socket that others could have put there (X5)", async () => {
    const at = site()
    const met = await instead(at, (socket) => void socket.end('{"stdout":""}'))
    fs.chmodSync(at.cache, 0o755)
    assert.strictEqual(meaning((await hook(at, "claude", shell(at, "rm -rf /"))).stdout).said, "deny")
    fs.chmodSync(at.cache, 0o700)
    // A workspace that holds the cache is one that tools write to.
    const inside = spawnSync(process.execPath, [launcher, "hook", "claude"], {
      cwd: at.home,
      env: at.env,
      input: JSON.stringify(shellPayload("claude", "rm -rf /", at.home)),
      encoding: "utf8"
    })
    assert.strictEqual(meaning(inside.stdout).said, "deny")
    assert.strictEqual(met(), 0)
  })

  it("is done by one process where the place of the socket has too long a name (X5)", async () => {
    const at = site()
    const base = path.join(at.home, "l".repeat(120))
    for (let run = 0; run < 5; run++) {
      const { status, stdout } = await hook(at, "claude", shell(at, "rm -rf /"), { TOLLGATE_CACHE: base })
      assert.deepEqual([status, meaning(stdout).said], [0, "deny"])
    }
    assert.isFalse(fs.readdirSync(path.join(base, "tollgate")).some((name) => name.includes(".sock")))
  })
})
