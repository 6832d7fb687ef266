// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off - drives real processes from outside
import { type IPty, spawn as openTerminal } from "@lydell/node-pty"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { built } from "../support/built.ts"
import { hasTrace, type Place, place, scripted, shell, start, tollgate } from "./command.ts"
import { database, tagsOf } from "./stored.ts"

describe("what surrounds a command", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  const configure = (profiles: object) => {
    fs.mkdirSync(at.env["TOLLGATE_HOME"]!, { recursive: true })
    fs.writeFileSync(path.join(at.env["TOLLGATE_HOME"]!, "config.json"), JSON.stringify({ profiles }))
  }
  const remote = { provider: "chat-completions", baseUrl: "http://127.0.0.1:9/v1", model: "m", maxAttempts: 1 }

  it.each([
    ["is missing", {}, "set the environment variable MY_KEY"],
    ["has a character that HTTP forbids", { MY_KEY: "…" }, "the environment variable MY_KEY has a character"],
    ["has a line break", { MY_KEY: "one\ntwo" }, "the environment variable MY_KEY has a character"]
  ])("a key that %s is a matter of the configuration, and leaves no session (R10, S5)", async (_, env, said) => {
    configure({ far: { ...remote, apiKeyVariable: "MY_KEY" } })
    const { code, stderr } = await tollgate(at, ["run", "hi"], "", env)
    assert.include(stderr, said)
    assert.notInclude(stderr, "two")
    assert.strictEqual(code, 4)
    assert.isFalse(fs.existsSync(database(at)))
  })

  it("a header that HTTP forbids is a matter of the configuration (R10, S5)", async () => {
    configure({ far: { ...remote, headers: { "x-team": "one\ntwo" } } })
    const { code, stderr } = await tollgate(at, ["run", "hi"])
    assert.include(stderr, 'its header "x-team" has a character')
    assert.notInclude(stderr, "two")
    assert.strictEqual(code, 4)
  })

  it.each(["", "here"])("a home directory of %j makes nothing of the project the user's own (S2)", async (home) => {
    const own = path.join(at.work, home, ".config", "tollgate")
    fs.mkdirSync(own, { recursive: true })
    fs.writeFileSync(path.join(own, "config.json"), JSON.stringify({ profiles: { far: remote } }))
    const { code, stderr, stdout } = await tollgate(at, ["config"], "", { TOLLGATE_HOME: "", HOME: home })
    assert.include(stderr, "HOME")
    assert.include(stderr, "absolute path")
    assert.notInclude(stdout, "127.0.0.1:9")
    assert.strictEqual(code, 4)
  })

  it("says where commands can change nothing, since what is protected there is a link (S3)", async () => {
    scripted(at, [{ steps: [{ say: "Done." }] }])
    fs.symlinkSync(".git", path.join(at.work, ".git"))
    const { code, stderr } = await tollgate(at, ["run", "hello"])
    assert.match(stderr, /sandbox off|Commands can change nothing in .*: its \.git or \.tollgate is a link/)
    assert.strictEqual(code, 0)
  })

  it("a working directory that has been removed is named", async () => {
    scripted(at, [])
    const gone = path.join(at.work, "gone")
    fs.mkdirSync(gone)
    const line = 'cd "$0" && rmdir "$0" && exec "$@"'
    const child = spawn("/bin/sh", ["-c", line, gone, process.execPath, await built(), "run", "hi"], { env: at.env })
    let stderr = ""
    child.stderr.on("data", (text: Buffer) => (stderr += text.toString()))
    const code = await new Promise((resolve) => child.on("close", resolve))
    assert.include(stderr, "The working directory has been removed")
    assert.strictEqual(code, 2)
  })

  const exitOf = (script: string, env: object = {}) =>
    new Promise<readonly [string, string]>((resolve) => {
      const child = spawn("/bin/bash", ["-c", script], { cwd: at.work, env: { ...at.env, ...env } })
      const said = { out: "", err: "" }
      child.stdout.on("data", (text: Buffer) => (said.out += text.toString()))
      child.stderr.on("data", (text: Buffer) => (said.err += text.toString()))
      child.on("close", () => resolve([said.out.trim(), said.err]))
    })

  it("a full disk and a reader who has gone are no success (R9)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Done." }] }])
    const command = `"${process.execPath}" "${await built()}"`
    // Nothing can be written any more once the reader has gone.
    const untilGone = "(while echo; do :; done) 2>/dev/null"
    for (const words of [
      "--help",
      "--version",
      "help run",
      "sessions --help",
      "sessions list",
      "config",
      "doctor --stack",
      "run --jsonl hi"
    ]) {
      const [full, said] = await exitOf(`${command} ${words} </dev/null >/dev/full; echo $?`)
      assert.strictEqual(full, "1", words)
      assert.match(said, /^tollgate: The output cannot be written: the disk is full/m, words)
      assert.isFalse(hasTrace(said), words)
      const [gone, silent] = await exitOf(
        `{ (${untilGone}; ${command} ${words} </dev/null; echo $? >&3) | true; } 3>&1`
      )
      assert.deepStrictEqual([gone, silent], ["141", ""], words)
    }
  })

  it("a run that ends by SIGHUP says so by its exit code (R9)", async () => {
    scripted(at, [
      { repeat: true, steps: [{ call: { name: "run_shell", arguments: { command: "touch started; sleep 600" } } }] }
    ])
    const running = await start(at, ["run", "--jsonl", "--dangerously-allow-all", "go"])
    await running.seen("ToolCallStarted")
    running.kill("SIGHUP")
    assert.strictEqual((await running.ended).code, 128 + os.constants.signals.SIGHUP)
  })

  it("too few files that may be open are named, and never a database to put away (R9)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Done." }] }])
    assert.strictEqual((await tollgate(at, ["run", "hello"])).code, 0)
    const command = `"${process.execPath}" "${await built()}" run hello`
    const said: Array<string> = []
    // With fewer than some number, which goes by the version of Node, the program itself cannot be read.
    for (let limit = 19; limit <= 25; limit++) said.push((await shell(at, `ulimit -n ${limit}; ${command}`)).stderr)
    const failed = said.filter((text) => text.includes("tollgate:"))
    assert.isAbove(failed.length, 0, said.join("\n"))
    for (const text of failed) {
      assert.include(text, "ulimit -n 4096")
      assert.notInclude(text, "To start with a new one")
    }
  })

  it("values set at the same time are all kept (R9)", async () => {
    const keys = ["maxDepth", "maxWorkers", "maxIterations", "parallelCalls", "contextCharacters", "resultLimit"]
    const ended = await Promise.all(keys.map((key, index) => tollgate(at, ["config", "set", key, String(index + 1)])))
    assert.deepStrictEqual(
      ended.map(({ code }) => code),
      keys.map(() => 0)
    )
    const file = fs.readFileSync(path.join(at.env["TOLLGATE_HOME"]!, "config.json"), "utf8")
    assert.deepStrictEqual(JSON.parse(file), Object.fromEntries(keys.map((key, index) => [key, index + 1])))
  })

  it("a home that SQLite cannot take is too long, in every variable that says it (R9)", async () => {
    const long = path.join(at.home, "a/".repeat(230))
    for (const [key, env] of [
      ["TOLLGATE_HOME", { TOLLGATE_HOME: long }],
      ["XDG_DATA_HOME", { TOLLGATE_HOME: "", XDG_DATA_HOME: long }],
      ["HOME", { TOLLGATE_HOME: "", HOME: long }]
    ] as const) {
      const { code, stderr } = await tollgate(at, ["sessions", "list"], "", env)
      assert.include(stderr, `${key}: it is too long`)
      assert.strictEqual(code, 4)
    }
  })

  it.each(["config.json", "tollgate.db"])(
    "a pipe in the place of %s is named and not waited for (R9)",
    async (name) => {
      fs.mkdirSync(at.env["TOLLGATE_HOME"]!)
      execFileSync("mkfifo", [path.join(at.env["TOLLGATE_HOME"]!, name)])
      const { code, stderr } = await tollgate(at, ["sessions", "list"])
      assert.include(stderr, name)
      assert.match(stderr, /pipe|not a file/)
      assert.notStrictEqual(code, 0)
    }
  )

  it("doctor asks each model one question, and names what is wrong with which profile (R10)", async () => {
    const server = http.createServer((request, response) => {
      const key = request.headers.authorization
      if (request.url !== "/v1/chat/completions") return void response.writeHead(404).end("no such page")
      if (key !== "Bearer right-key") return void response.writeHead(401).end('{"error":{"message":"bad key"}}')
      response.writeHead(200, { "content-type": "text/event-stream" })
      const choice = (delta: object, finish_reason: string | null) =>
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`
      response.end(`${choice({ content: "ready" }, null)}${choice({}, "stop")}data: [DONE]\n\n`)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const profile = (place: string, apiKeyVariable: string) => ({
      provider: "chat-completions",
      baseUrl: `http://127.0.0.1:${port}${place}`,
      model: "m-1",
      apiKeyVariable
    })
    configure({
      good: profile("/v1", "RIGHT"),
      path: profile("/wrong", "RIGHT"),
      key: profile("/v1", "WRONG"),
      none: profile("/v1", "ABSENT"),
      dead: { ...profile("", "RIGHT"), baseUrl: "http://127.0.0.1:9/v1" }
    })
    const { code, stdout } = await tollgate(at, ["doctor"], "", { RIGHT: "right-key", WRONG: "wrong-key" })
    server.close()
    assert.strictEqual(code, 4, stdout)
    assert.match(stdout, /✓ profile good .*chat-completions · m-1 · key RIGHT · answered in \d+ ms/)
    assert.match(stdout, /✗ profile path .*rejected.*404[^]*?tollgate config set profiles\.path\.baseUrl URL/)
    assert.match(stdout, /✗ profile key .*refused the credentials[^]*?export WRONG=…/)
    assert.match(stdout, /✗ profile none .*ABSENT is not set\n +export ABSENT=…/)
    assert.match(stdout, /✗ profile dead .*Cannot reach model[^]*?tollgate config set profiles\.dead\.baseUrl URL/)
    assert.notInclude(stdout, "wrong-key")
  })

  it("a terminal that closes suspends the session in good order (R9)", async () => {
    scripted(at, [{ steps: [{ call: { name: "write_file", arguments: { path: "a.txt", content: "one" } } }] }])
    const code = path.join(at.home, "code")
    execFileSync("mkfifo", [code])
    // A shell that outlives its terminal and passes the hangup on, more than once as shells do.
    const witness =
      "trap 'for _ in 1 2 3 4 5 6 7 8; do kill -HUP $node; done' HUP; exec 3<&0; \"$@\" <&3 & node=$!; " +
      'while kill -0 $node 2>/dev/null; do wait $node; code=$?; done; echo $code > "$0"'
    const terminal = openTerminal("/bin/sh", ["-c", witness, code, process.execPath, await built(), "run", "write"], {
      cwd: at.work,
      env: { ...at.env, TERM: "xterm-256color" }
    }) as IPty & { readonly destroy: () => void }
    await new Promise<void>((resolve) => {
      let shown = ""
      terminal.onData((text) => {
        shown += text
        if (shown.includes("allow?")) resolve()
      })
    })
    terminal.destroy()
    assert.strictEqual((await fs.promises.readFile(code, "utf8")).trim(), String(128 + os.constants.signals.SIGHUP))
    assert.deepStrictEqual(fs.readdirSync(`${database(at)}-processes`), [])
    assert.include(tagsOf(at), "SessionSuspended")
  })
})
