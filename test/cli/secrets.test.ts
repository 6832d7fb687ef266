// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off globalDate:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { collector } from "../telemetry/collecting.ts"
import { type Place, place, scripted, tollgate } from "./command.ts"

/** Put together here, so that scanners of the repository stay quiet. */
const secret = ["ghp", "_", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"].join("")

let at: Place
beforeEach(() => void (at = place()))
afterEach(() => at.remove())

/** What was written below a directory, byte for byte. */
const written = (directory: string): string =>
  fs
    .readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(directory, name))
    .filter((file) => fs.statSync(file).isFile())
    .map((file) => fs.readFileSync(file, "latin1"))
    .join("\n")

const call = (name: string, args: object) => ({ call: { name, arguments: args } })

describe("a secret that a model puts into whatever it can", () => {
  it("is in no output, no record and no byte of the database (A9, S5)", async () => {
    scripted(at, [
      {
        steps: [
          { think: `I have ${secret}.` },
          { say: `Using ${secret}.` },
          call(secret, { a: secret }),
          call(`client.${secret}`, { [secret]: secret }),
          call("write_file", { path: `notes-${secret}.txt`, content: secret }),
          call("read_file", { path: `none-${secret}.txt` }),
          call("run_shell", { command: `echo ${secret}; ls ${secret}` }),
          call("delegate", { name: `w-${secret}`, task: `Do ${secret}.` })
        ]
      },
      { steps: [{ say: `The worker says ${secret}.` }] },
      { steps: [{ say: `It was ${secret}.` }] }
    ])
    const told = await tollgate(at, ["run", "--jsonl", "--dangerously-allow-all", `go with ${secret}`])
    assert.strictEqual(told.code, 0, told.stderr)
    assert.strictEqual(fs.readFileSync(path.join(at.work, `notes-${secret}.txt`), "utf8"), secret)
    const log = path.join(at.home, "log.jsonl")
    fs.writeFileSync(log, told.stdout)
    const seen = [told, await tollgate(at, ["replay", log]), await tollgate(at, ["approvals", "audit"])]
    for (const { stderr, stdout } of seen) {
      assert.notInclude(stdout + stderr, secret)
      assert.include(stdout + stderr, "[redacted-github-token]")
    }
    const records = written(at.env["TOLLGATE_HOME"]!)
    assert.notInclude(records, secret)
    assert.include(records, "[redacted-github-token]")
  })
})

describe("a value that nothing but its variable gives away", () => {
  const key = "zq9plainvalue77"
  const credential = "vk4 other value 31"
  const server = "http://127.0.0.1:9/v1"
  const variables = { MYKEY: key, WEATHER_API_KEY: credential, TOWN: "Trondheim" }

  /** A model that comes upon both values by every way there is, and whose last answer fails with them. */
  const prepared = () => {
    const both = `${key} and ${credential}`
    const profiles = {
      test: { provider: "scripted", script: path.join(at.home, "script.json"), maxAttempts: 1 },
      local: { provider: "chat-completions", model: "m", baseUrl: server, apiKeyVariable: "MYKEY" }
    }
    scripted(
      at,
      [
        {
          steps: [
            { think: `I have ${both}.` },
            { say: `Using ${both}, that is ${Buffer.from(key).toString("base64")}.` },
            call("read_file", { path: "note.txt" }),
            call("run_shell", { command: "cat note.txt; cat note.txt >&2" }),
            call("write_file", { path: `copy of ${key}`, content: both })
          ]
        },
        { steps: [{ fail: { _tag: "ModelRejected", reason: `Incorrect key ${both}` } }] }
      ],
      { profiles, profile: "test", resultLimit: 1000 }
    )
    const filler = "Trondheim ".repeat(500)
    fs.writeFileSync(path.join(at.work, "note.txt"), `${filler}\n${both}\n${filler}\n`)
  }

  it.scopedLive("is in no output, record, kept result, log, span or byte of the database (S5)", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* collector
      prepared()
      const env = {
        ...variables,
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true"
      }
      const run = (...words: ReadonlyArray<string>) => Effect.promise(() => tollgate(at, words, "", env))
      const told = yield* run(
        "--log-level=debug",
        "run",
        "--jsonl",
        "--dangerously-allow-all",
        `go with ${key}, ${credential}`
      )
      assert.strictEqual(told.code, 1, told.stderr)
      assert.include(told.stdout, "Trondheim")
      const log = path.join(at.home, "log.jsonl")
      fs.writeFileSync(log, told.stdout)
      const shown = [told, yield* run("run", "--dangerously-allow-all", `go with ${key}`)]
      for (const words of [
        ["replay", log],
        ["approvals", "audit"],
        ["sessions", "list", "--jsonl"]
      ]) {
        shown.push(yield* run(...words))
      }
      const spans = JSON.stringify(seen)
      const kept = written(path.join(at.env["TOLLGATE_HOME"]!, "results"))
      assert.include(spans, "invoke_agent")
      const records = written(at.env["TOLLGATE_HOME"]!)
      for (const text of [...shown.map(({ stderr, stdout }) => stdout + stderr), spans, kept, records]) {
        assert.include(text, "[redacted-secret]")
        for (const value of [key, credential, Buffer.from(key).toString("base64")]) assert.notInclude(text, value)
      }
      assert.strictEqual(fs.readFileSync(path.join(at.work, `copy of ${key}`), "utf8"), `${key} and ${credential}`)
    })
  )
})
