// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off globalDate:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
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

describe("a secret that a model puts into whatever it can", { timeout: 60_000 }, () => {
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
    const told = await tollgate(at, ["run", "--json", "--dangerously-allow-all", `go with ${secret}`])
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
