// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type ModelServer, modelServer, type ModelServerOptions } from "../support/ModelServer.ts"
import { type Place, place, tollgate } from "./command.ts"
import { leave, probes } from "./terminal/TerminalProbe.ts"

const escape = "\u001b"
const down = "\u001b[B"
const ctrlC = "\u0003"
const ctrlD = "\u0004"
/** No one listens there. */
const nowhere = { OLLAMA_HOST: "127.0.0.1:1" }

describe("the first start", () => {
  let at: Place
  let servers: Array<ModelServer> = []
  beforeEach(() => {
    at = place()
  })
  afterEach(async () => {
    await Promise.all(servers.map(({ close }) => close()))
    servers = []
    at.remove()
  })
  const { open } = probes(() => at)
  const serve = async (options: ModelServerOptions) => {
    const server = await modelServer(options)
    servers.push(server)
    return server
  }
  const file = () => path.join(at.env["TOLLGATE_HOME"]!, "config.json")
  const config = () => JSON.parse(fs.readFileSync(file(), "utf8")) as unknown

  it("finds Ollama, lists its models, asks one as a test, saves it and goes on to the prompt (U9)", async () => {
    const usage = { prompt_tokens: 70, completion_tokens: 3 }
    const server = await serve({ models: ["llama3", "qwen3", "phi4"], answer: "Hello from qwen.", usage })
    const terminal = await open([], { env: { OLLAMA_HOST: `127.0.0.1:${server.port}` } })
    await terminal.seen(new RegExp(`Which model server\\?[^]*❯ ollama {2}${server.baseUrl}, 3 models`))
    terminal.press("\r")
    await terminal.seen(/Which model\?[^]*llama3[^]*qwen3/)
    terminal.press("qw")
    await terminal.seen(/❯ qwen3\n›/)
    terminal.press("\r")
    await terminal.seen(/Keep this choice\?[^]*❯ save it as profile ollama in/)
    assert.isFalse(fs.existsSync(file()))
    terminal.press("\r")
    await terminal.seen(/✓ qwen3 · \S+ · answered in [\d.]+ m?s/)
    await terminal.seen(/ASK · ollama/)
    assert.deepStrictEqual(config(), {
      profile: "ollama",
      profiles: { ollama: { provider: "chat-completions", baseUrl: server.baseUrl, model: "qwen3" } }
    })
    terminal.press("hi\r")
    await terminal.idle(/Hello from qwen\./)
    await leave(terminal)
    const again = await open([])
    await again.seen(/ASK · ollama/)
    await leave(again)
    // The question of the test is booked as the prompt is.
    const { stdout } = await tollgate(at, ["cost", "--by", "model", "--json"])
    const [cost] = JSON.parse(stdout) as ReadonlyArray<{ readonly requests: number; readonly usage: object }>
    assert.strictEqual(cost?.requests, 2)
    assert.include(cost?.usage, { inputTokens: 140, outputTokens: 6 })
  })

  it("asks no model for which a budget has no room, and goes on once it has (U9, C2)", async () => {
    await tollgate(at, ["config", "set", "budgets.day", "1"])
    const server = await serve({ models: ["one"] })
    const terminal = await open([], { env: { OLLAMA_HOST: `127.0.0.1:${server.port}` }, columns: 120 })
    for (const question of ["Which model server?", "Which model?", "Keep this choice?"]) {
      await terminal.seen(question)
      terminal.press("\r")
    }
    await terminal.seen(/✗ The price of model one is unknown[^]*What to change\?[^]*❯ try again/)
    const [, key = "", value = ""] =
      /tollgate config set (budgets\.unknownPrice) '([^']+)', then try again/.exec(terminal.screen()) ?? []
    assert.isFalse(server.seen.some((one) => one.startsWith("POST")))
    assert.strictEqual((await tollgate(at, ["config", "set", key, value])).code, 0)
    terminal.press("\r")
    await terminal.seen(/✓ one · [^]*ASK · ollama/)
    await leave(terminal)
  })

  it("says what fails and lets it be changed; a key is named and never written (U9, D9)", async () => {
    const secret = "sk-of-a-user-1234567890"
    const server = await serve({ models: ["big"], key: secret })
    const terminal = await open([], { env: { ...nowhere, MY_KEY: secret }, columns: 100 })
    await terminal.seen(/❯ another server, by its base URL/)
    terminal.press("\r")
    await terminal.seen("base URL, e.g.")
    terminal.press(`${server.baseUrl}/chat/completions\r`)
    await terminal.seen(/lists no models \(HTTP 401\)[^]*model:/)
    terminal.press("big\r")
    await terminal.seen("Keep this choice?")
    terminal.press("\r")
    await terminal.seen(/✗[^]*What to change\?[^]*❯ name the variable with the key/)
    assert.isFalse(fs.existsSync(file()))
    terminal.press("\r")
    await terminal.seen("its name")
    terminal.press(`${secret}\r`)
    await terminal.seen("no variable of that name is set here")
    terminal.press("MY_KEY\r")
    await terminal.seen(/✓ big · \S+ · key MY_KEY · answered in/)
    await terminal.seen(/ASK · local/)
    await leave(terminal)
    assert.deepStrictEqual(config(), {
      profile: "local",
      profiles: {
        local: { provider: "chat-completions", baseUrl: server.baseUrl, model: "big", apiKeyVariable: "MY_KEY" }
      }
    })
    const doctor = await tollgate(at, ["doctor"], "", { MY_KEY: secret })
    assert.match(doctor.stdout, /profile local {2}chat-completions · big · key MY_KEY · answered in [\d.]+ m?s/)
    const asked = server.seen.length
    const offline = await tollgate(at, ["doctor", "--offline"], "", { MY_KEY: secret })
    assert.match(offline.stdout, /profile local {2}chat-completions · big · key MY_KEY · not asked \(--offline\)/)
    assert.strictEqual(server.seen.length, asked)
    const unset = await tollgate(at, ["doctor", "--offline"])
    assert.match(unset.stdout, /✗ profile local[^]*MY_KEY is not set\n +export MY_KEY=…/)
    assert.notInclude(terminal.raw().replaceAll(`its name): ${secret}`, "") + doctor.stdout, `key ${secret}`)
  })

  it("asks again for the URL of a server that does not answer, before anything else (U9)", async () => {
    const server = await serve({ models: ["one"] })
    const terminal = await open([], { env: nowhere, columns: 120 })
    await terminal.seen(/❯ another server, by its base URL/)
    terminal.press("\r")
    await terminal.seen("base URL, e.g.")
    for (const [typed, complaint] of [
      ["ftp://localhost", "expected an http"],
      ["http://127.0.0.1:1/v1", "no server answers there"]
    ]) {
      terminal.press(`\u0015${typed}\r`)
      await terminal.seen(new RegExp(`${complaint}[^]*base URL, e\\.g\\. \\S+: ${typed}$`, "m"))
    }
    assert.notMatch(terminal.screen(), /^model:/m)
    terminal.press(`\u0015${server.baseUrl}\r`)
    await terminal.seen(/Which model\?[^]*one/)
    terminal.press(ctrlC)
    assert.strictEqual(await terminal.ended, 130)
  })

  it.each([
    ["Esc", escape, 0, [0, 1, 2]],
    ["Ctrl-C", ctrlC, 130, [1]],
    ["Ctrl-D", ctrlD, 0, [2]]
  ] as const)("is left at every question by %s with nothing written (U9)", async (_, key, code, places) => {
    const server = await serve({ models: ["one"] })
    const env = { OLLAMA_HOST: `127.0.0.1:${server.port}`, GROQ_API_KEY: "a-key" }
    const questions = [
      ["Which model server?", down],
      ["Which model?", ""],
      ["Keep this choice?", ""]
    ] as const
    for (const left of places) {
      const terminal = await open([], { env })
      for (const [question, before] of questions.slice(0, left)) {
        await terminal.seen(question)
        terminal.press(`${before}\r`)
      }
      await terminal.seen(questions[left]![0])
      terminal.press(key)
      await terminal.seen("nothing was saved")
      assert.strictEqual(await terminal.ended, code)
      assert.strictEqual(terminal.screen().split("nothing was saved").length, 2)
      assert.isFalse(fs.existsSync(file()))
    }
  })

  it("is left while the model is asked (U9)", async () => {
    const server = await serve({ models: ["one"], silent: true })
    const terminal = await open([], { env: { OLLAMA_HOST: `127.0.0.1:${server.port}` } })
    for (const question of ["Which model server?", "Which model?", "Keep this choice?"]) {
      await terminal.seen(question)
      terminal.press("\r")
    }
    await terminal.seen("asking one at")
    terminal.press(ctrlC)
    await terminal.seen("nothing was saved")
    assert.strictEqual(await terminal.ended, 130)
    assert.isFalse(fs.existsSync(file()))
  })

  it("is used for the session alone where nothing is to be saved, and asks by lines where there is no cursor (U9, U12)", async () => {
    const server = await serve({ models: ["one", "two"], answer: "Hello." })
    const env = { OLLAMA_HOST: `127.0.0.1:${server.port}`, TERM: "dumb" }
    const terminal = await open([], { env })
    await terminal.seen(/1 {2}ollama[^]*number:/)
    terminal.press("1\n")
    await terminal.seen(/2 {2}two[^]*number, or words to filter:/)
    terminal.press("2\n")
    await terminal.seen(/2 {2}use it now and save nothing[^]*number:/)
    terminal.press("2\n")
    await terminal.seen(/✓ two · [^]*saved nowhere[^]*\n›(?![^])/)
    terminal.press("hi\n")
    await terminal.seen(/Hello\.[^]*\n›(?![^])/)
    await leave(terminal)
    assert.isFalse(fs.existsSync(file()))
    assert.notInclude(terminal.raw(), escape)
    assert.deepStrictEqual(server.seen.slice(-1), ["POST /v1/chat/completions two"])
  })

  it("adds a model to others by tollgate configure, and asks no one where there is no terminal (U9)", async () => {
    const server = await serve({ models: ["one"] })
    const env = { OLLAMA_HOST: `127.0.0.1:${server.port}` }
    await tollgate(at, ["config", "set", "profiles.ollama", '{"provider":"anthropic","model":"m"}'])
    const terminal = await open(["configure"], { env })
    for (const question of ["Which model server?", "Which model?", "save it as profile ollama-2"]) {
      await terminal.seen(question)
      terminal.press("\r")
    }
    assert.strictEqual(await terminal.ended, 0)
    assert.deepStrictEqual((config() as { readonly profile: string }).profile, "ollama-2")
    assert.strictEqual((await tollgate(at, ["configure"])).code, 2)
    fs.rmSync(file())
    const piped = await tollgate(at, [], "hello")
    assert.strictEqual(piped.code, 4)
    assert.include(piped.stderr, "No model is configured. Set one up with any of these:")
  })
})
