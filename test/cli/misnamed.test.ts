// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "./command.ts"

const rule = { id: "r", decision: "deny", level: "user" }
const hook = (tool: string) => ({ event: "pre", tool, command: ["true"] })
const said = [
  "unknown tool read_fil; did you mean read_file?",
  "unknown tool read_*; patterns are not supported",
  "unknown tool fetchurl; did you mean fetch_url?",
  "unknown tool launch_rockets; known tools: read_file, "
]

describe("names in the configuration that no tool has", () => {
  let at: Place
  beforeEach(() => {
    at = place()
    scripted(at, [{ repeat: true, steps: [{ say: "Hello." }] }], {
      hooks: [hook("read_fil"), hook("read_*"), hook("*"), hook("write_file")],
      limits: [{ tools: ["glob", "fetchurl"], concurrency: 1 }],
      approvals: { rules: [{ ...rule, tool: "launch_rockets" }] }
    })
  })
  afterEach(() => at.remove())

  it("are findings of doctor, with the commands that mend them (T8, T18)", async () => {
    const { code, stdout } = await tollgate(at, ["doctor"])
    assert.strictEqual(code, 4)
    for (const text of said) assert.include(stdout, text)
    assert.strictEqual(stdout.match(/unknown tool/g)?.length, 4)
    const mend = stdout
      .split("\n")
      .flatMap((line) => /^ {4}tollgate (config set .*)$/.exec(line)?.[1]?.split(" ") ?? [])
    assert.deepStrictEqual(mend, [
      "config",
      "set",
      "hooks.0.tool",
      "read_file",
      "config",
      "set",
      "limits.0.tools.1",
      "fetch_url"
    ])
    assert.strictEqual((await tollgate(at, mend.slice(0, 4))).code, 0)
    assert.notInclude((await tollgate(at, ["doctor"])).stdout, "read_fil;")
  })

  it("are patterns as well that begin with the name of a server (T8, X1)", async () => {
    scripted(at, [{ steps: [] }], {
      hooks: [hook("srv__*"), hook("srv__put")],
      mcp: { servers: { srv: { command: ["true"] } } }
    })
    const { stdout } = await tollgate(at, ["doctor", "--offline"])
    assert.include(stdout, "unknown tool srv__*; patterns are not supported")
    assert.strictEqual(stdout.match(/unknown tool/g)?.length, 1)
  })

  it("are told once at the beginning of a run, those of the project with them (T8, T18)", async () => {
    fs.mkdirSync(path.join(at.work, ".tollgate"))
    fs.writeFileSync(path.join(at.work, ".tollgate/config.json"), JSON.stringify({ hooks: [hook("grepp")] }))
    const { code, stderr, stdout } = await tollgate(at, ["run", "hi"])
    assert.deepStrictEqual([code, stdout], [0, "Hello.\n"])
    for (const text of [...said, "unknown tool grepp; did you mean grep?"])
      assert.strictEqual(stderr.split(text).length, 2, text)
  })

  it("are told of the environment, unless the configuration names the variable (U1)", async () => {
    const env = {
      TOLLGATE_APPROVAL_POLICY: "deny",
      TOLLGATE_MODE: "plan",
      TOLLGATE_MAX_DEPTH: "2",
      TOLLGATE_MY_KEY: "x"
    }
    scripted(at, [{ steps: [{ say: "Hello." }] }], { systemPrompt: "TOLLGATE_MY_KEY" })
    const { code, stderr } = await tollgate(at, ["run", "hi"], "", env)
    assert.strictEqual(code, 0)
    const told = stderr.split("\n").filter((line) => line.includes("environment variable"))
    assert.deepStrictEqual(told, [
      "tollgate: the environment variable TOLLGATE_APPROVAL_POLICY has no effect: did you mean TOLLGATE_APPROVALS_POLICY?",
      "tollgate: the environment variable TOLLGATE_MODE has no effect: no setting has this name; tollgate config lists them"
    ])
  })
})
