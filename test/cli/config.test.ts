// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { hasTrace, type Place, place, tollgate } from "./command.ts"

describe("a configuration that cannot be used", () => {
  let at: Place
  let file: string
  const write = (text: string) => fs.writeFileSync(file, text)
  const read = () => JSON.parse(fs.readFileSync(file, "utf8")) as unknown

  beforeEach(() => {
    at = place()
    fs.mkdirSync(at.env["TOLLGATE_HOME"]!)
    file = path.join(at.env["TOLLGATE_HOME"]!, "config.json")
  })
  afterEach(() => at.remove())

  const rule = { id: "r", decision: "ask", level: "user", tool: "x" }
  const broken = {
    maxDepth: "deep",
    zzz: { kept: [1, { a: null }] },
    systemPrompt: "hi",
    approvals: { rules: [rule, { ...rule, path: "a{b}" }] }
  }

  it("is named as a whole, with the commands that mend it, and exit code 4", async () => {
    write(JSON.stringify(broken))
    const { code, stderr } = await tollgate(at, ["run", "hi"], "", { TOLLGATE_TIMEOUTS_TOOL: "abc" })
    assert.strictEqual(code, 4)
    for (const said of [
      `${file}: maxDepth: expected a number, is "deep"`,
      "tollgate config set maxDepth VALUE",
      `${file}: zzz: unknown key`,
      "tollgate config unset zzz",
      `${file}: approvals.rules.1: "a{b}"`,
      "tollgate config unset approvals.rules.1",
      "TOLLGATE_TIMEOUTS_TOOL: timeouts.tool: expected",
      "unset TOLLGATE_TIMEOUTS_TOOL"
    ])
      assert.include(stderr, said)
    assert.isFalse(hasTrace(stderr))
  })

  it("names what is no object where one is expected, also where a variable sets something below it", async () => {
    const wrong = { approvals: "deny", network: null, mcp: { gateway: [] } }
    const named = ["approvals: expected an object, is text", "network: expected an object, is null", "mcp.gateway: "]
    write(JSON.stringify(wrong))
    for (const env of [{}, { TOLLGATE_APPROVALS_POLICY: "ask", TOLLGATE_NETWORK_DENY_HOSTS: '["a.example"]' }]) {
      const { code, stderr } = await tollgate(at, ["approvals", "list"], "", env)
      assert.strictEqual(code, 4)
      for (const said of named) assert.include(stderr, said)
    }
    assert.strictEqual((await tollgate(at, ["config", "set", "approvals.policy", "deny"])).code, 0)
    for (const key of ["network", "mcp"]) assert.strictEqual((await tollgate(at, ["config", "unset", key])).code, 0)
    assert.deepStrictEqual(read(), { approvals: { policy: "deny" } })
  })

  it("is shown as far as it goes, what is wrong marked at its key", async () => {
    write(JSON.stringify(broken))
    const shown = await tollgate(at, ["config"])
    assert.strictEqual(shown.code, 4)
    assert.match(shown.stdout, /maxDepth +deep .*\n +✗ maxDepth: expected a number/)
    assert.match(shown.stdout, /systemPrompt +hi/)
    assert.match(shown.stdout, /zzz .*\n +✗ zzz: unknown key/)
    const fine = await tollgate(at, ["config", "get", "systemPrompt"])
    assert.deepStrictEqual([fine.code, fine.stdout], [0, "hi\n"])
    const bad = await tollgate(at, ["config", "get", "maxDepth"])
    assert.strictEqual(bad.code, 4)
    assert.include(bad.stderr, "maxDepth: expected a number")
    assert.notInclude(bad.stderr, "zzz")
  })

  it("is told what a number of a duration counts, and a program gets the number", async () => {
    const set = await tollgate(at, ["config", "set", "timeouts.tool", "3"])
    assert.match(set.stdout, /^timeouts\.tool = 3 milliseconds /)
    assert.match((await tollgate(at, ["config"])).stdout, /timeouts\.tool +3 milliseconds /)
    assert.strictEqual((await tollgate(at, ["config", "get", "timeouts.tool"])).stdout, "3\n")
  })

  it("is shown with what is wrong of a whole group once, by the name of the group", async () => {
    write(JSON.stringify({ approvals: 5, maxDepth: 3 }))
    const { code, stdout } = await tollgate(at, ["config"])
    assert.strictEqual(code, 4)
    assert.match(stdout, /^approvals +\(.*\)\n +✗ approvals: expected an object/m)
    assert.lengthOf(stdout.match(/✗/g) ?? [], 1)
  })

  it("is mended one value at a time, and nothing else in it is lost", async () => {
    write(JSON.stringify(broken))
    assert.strictEqual((await tollgate(at, ["config", "set", "maxDepth", "3"])).code, 0)
    assert.deepStrictEqual(read(), { ...broken, maxDepth: 3 })
    assert.strictEqual((await tollgate(at, ["config", "unset", "approvals.rules.1"])).code, 0)
    assert.deepStrictEqual(read(), { ...broken, maxDepth: 3, approvals: { rules: [rule] } })
    const last = await tollgate(at, ["config", "unset", "zzz"])
    assert.notInclude(last.stdout, "still")
    assert.strictEqual((await tollgate(at, ["config"])).code, 0)
    assert.deepStrictEqual(read(), { maxDepth: 3, systemPrompt: "hi", approvals: { rules: [rule] } })
  })

  it("is told where it looks like JSON and is none, from a variable too (U1)", async () => {
    const local = await tollgate(at, ["config", "set", "profiles.local", '{"provider":'])
    assert.strictEqual(local.code, 4)
    assert.include(local.stderr, "profiles.local: expected an object; it is not JSON: it ends too early")
    const roots = await tollgate(at, ["config", "set", "roots", "[/tmp]"])
    assert.include(roots.stderr, "it is not JSON: unexpected character at line 1, column 2")
    const text = await tollgate(at, ["config", "set", "roots", "/tmp"])
    assert.notInclude(text.stderr, "JSON")
    const variable = await tollgate(at, ["config"], "", { TOLLGATE_ROOTS: "[/tmp]" })
    assert.include(variable.stdout + variable.stderr, "it is not JSON: unexpected character at line 1, column 2")
    assert.strictEqual((await tollgate(at, ["config", "set", "systemPrompt", "[be brief]"])).code, 0)
  })

  it("gets no worse: a change that mends nothing is refused", async () => {
    write(JSON.stringify(broken))
    const before = fs.readFileSync(file, "utf8")
    for (const args of [
      ["set", "maxDepth", "deeper"],
      ["set", "maxWorkers", "none"],
      ["set", "approvals.rules.1.tool", ""],
      ["unset", "approvals.rules.0.id"]
    ]) {
      const { code } = await tollgate(at, ["config", ...args])
      assert.strictEqual(code, 4, args.join(" "))
      assert.strictEqual(fs.readFileSync(file, "utf8"), before)
    }
  })

  it("is a finding of doctor, which goes on", async () => {
    write(JSON.stringify({ ...broken, profiles: { good: { provider: "scripted", script: "/none" }, bad: {} } }))
    const { code, stdout } = await tollgate(at, ["doctor"])
    assert.strictEqual(code, 4)
    assert.match(stdout, /✗ configuration .*maxDepth: expected a number.*\n +tollgate config set maxDepth VALUE/)
    assert.match(stdout, /✗ configuration .*profiles\.bad\.provider: not set/)
    assert.match(stdout, /✓ sessions/)
    assert.match(stdout, /✗ profile good .*\/none cannot be read/)
  })

  it.each([
    ['{"maxDepth": 3,\n  // why\n}', "line 2, column 3"],
    ["[]", "it is not a JSON object"],
    ["", "it is empty"]
  ])("is left as it is where it is no JSON object: %j", async (text, where) => {
    write(text)
    const others = [
      ["config", "get", "maxDepth"],
      ["run", "hi"]
    ]
    for (const args of [["config", "set", "maxDepth", "3"], ...(text === "" ? others : [])]) {
      const { code, stderr } = await tollgate(at, args)
      assert.strictEqual(code, 4)
      assert.include(stderr, file)
      assert.include(stderr, where)
      assert.include(stderr, "Edit it")
    }
    assert.strictEqual(fs.readFileSync(file, "utf8"), text)
    const shown = await tollgate(at, ["config"])
    assert.deepStrictEqual([shown.code, shown.stdout], [4, ""])
    const { stdout } = await tollgate(at, ["doctor"])
    assert.match(stdout, /^✓ tollgate .*\n✗ configuration /)
    assert.include(stdout, where)
    // Advice for what cannot be read would be a guess, and to set a value fails.
    assert.notMatch(stdout, /config set|model {2}|sandbox {2}/)
  })

  it.each([
    ["below /proc", "cannot be made", "/proc/tollgate"],
    ["below a file", "is not a directory", "/dev/null/x"],
    ["relative", "an absolute path", "relative/x"],
    ["of 5,000 characters", "the limit is", `/${"long/".repeat(1000)}`],
    ["with too long a name", "too long", `/${"a".repeat(300)}`]
  ])("says what is wrong with a home that cannot be: %s", async (_, said, home) => {
    const reading = [["sessions", "list"]]
    for (const args of [["config", "set", "maxDepth", "3"], ...(home.length < 20 ? reading : [])]) {
      const { code, stderr } = await tollgate(at, args, "", { TOLLGATE_HOME: home })
      assert.include([1, 4], code)
      assert.include(stderr, said)
      assert.include(stderr, "TOLLGATE_HOME")
      assert.isBelow(stderr.length, 1000)
      assert.notMatch(stderr, /E[A-Z]{4,}:|mkdir/)
    }
    assert.deepStrictEqual(fs.readdirSync(at.work), [])
  })

  it("takes an empty TOLLGATE_HOME for none, and keeps no compiled code where there is no place for it", async () => {
    const { code, stdout } = await tollgate(at, ["config"], "", { TOLLGATE_HOME: "", XDG_CACHE_HOME: "/proc/x" })
    assert.strictEqual(code, 0)
    assert.include(stdout, path.join(at.home, ".config/tollgate/config.json"))
  })

  it("shows the keys that are not set, and what they are about", async () => {
    const { code, stdout } = await tollgate(at, ["config"])
    assert.strictEqual(code, 0)
    assert.match(stdout, /^network\.allowHosts +not set: the only hosts that fetch_url may reach/m)
    assert.match(stdout, /^profile +not set: /m)
  })

  it("says how profiles are set, and takes none that JavaScript would mistake", async () => {
    const all = await tollgate(at, ["config", "set", "profiles", "{}"])
    assert.strictEqual(all.code, 4)
    assert.include(all.stderr, "profiles are set one by one")
    assert.include(all.stderr, "tollgate config set profiles.local")
    const odd = await tollgate(at, ["config", "set", "profiles.__proto__", '{"provider":"openai","model":"m"}'])
    assert.strictEqual(odd.code, 4)
    assert.include(odd.stderr, "Unknown configuration key")
    assert.isFalse(fs.existsSync(file))
  })
})
