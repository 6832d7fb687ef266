// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off - drives real processes from outside
import { type IPty, spawn as openTerminal } from "@lydell/node-pty"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { built } from "../support/built.ts"
import { type Place, place, scripted, tollgate } from "./command.ts"

describe("what surrounds a command", { timeout: 60_000 }, () => {
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
  const database = () => path.join(at.env["TOLLGATE_HOME"]!, "tollgate.db")

  it.each([
    ["is missing", {}, "set the environment variable MY_KEY"],
    ["has a character that HTTP forbids", { MY_KEY: "…" }, "the environment variable MY_KEY holds a character"],
    ["has a line break", { MY_KEY: "one\ntwo" }, "the environment variable MY_KEY holds a character"]
  ])("a key that %s is a matter of the configuration, and leaves no session (R10, S5)", async (_, env, said) => {
    configure({ far: { ...remote, apiKeyVariable: "MY_KEY" } })
    const { code, stderr } = await tollgate(at, ["run", "hi"], "", env)
    assert.include(stderr, said)
    assert.notInclude(stderr, "two")
    assert.strictEqual(code, 4)
    assert.isFalse(fs.existsSync(database()))
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

  it("the prompt from standard input ends before its line break", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Done." }] }])
    assert.strictEqual((await tollgate(at, ["run"], "w1\n")).code, 0)
    const { stdout } = await tollgate(at, ["events", "session_", "--jsonl"])
    assert.include(stdout, '"w1"')
    assert.notInclude(stdout, '"w1\\n"')
  })

  it("a tour removes what one that was killed has left, once it is a day old", async () => {
    const temporary = path.join(at.home, "tmp")
    const [old, young] = ["tollgate-tour-old", "tollgate-tour-young"].map((name) => path.join(temporary, name))
    for (const one of [old!, young!]) fs.mkdirSync(path.join(one, "ledger"), { recursive: true })
    fs.utimesSync(old!, 0, 0)
    assert.strictEqual((await tollgate(at, ["tour"], "", { TMPDIR: temporary })).code, 0)
    assert.isFalse(fs.existsSync(old!))
    assert.isTrue(fs.existsSync(young!))
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
    assert.deepStrictEqual(fs.readdirSync(`${database()}-processes`), [])
    const { stdout } = await tollgate(at, ["events", "session_", "--jsonl"])
    assert.include(stdout, "SessionSuspended")
  })
})
