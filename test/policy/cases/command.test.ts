// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Case from "../../../src/policy/cases/Case.ts"
import { corpus, corpusPath } from "../../support/corpora.ts"
import { hasTrace, type Place, place, tollgate } from "../../cli/command.ts"

const timeout = 60_000

describe("tollgate policy", { timeout }, () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  const cases = (rows: unknown): string => {
    const file = path.join(at.work, "cases.json")
    fs.writeFileSync(file, typeof rows === "string" ? rows : JSON.stringify(rows))
    return file
  }

  it.each(["c_shell", "b_paths", "a_ssrf"])(
    "test finds every row of %s as expected, but for those that need more than judging (S2, S3, S4)",
    async (name) => {
      const { code, stderr, stdout } = await tollgate(at, ["policy", "test", corpusPath(`${name}.json`)])
      const rows = corpus(name)
      const live = rows.filter((row) => {
        const given = Case.decode(row)
        return Either.isRight(given) && Case.beyond(given.right) !== undefined
      }).length
      const rest = live === 0 ? "" : `, ${live} not run here`
      assert.include(stdout, `${rows.length} cases: ${rows.length - live} as expected, 0 otherwise${rest}\n`)
      assert.strictEqual(stderr, "")
      assert.strictEqual(code, 0)
    }
  )

  it("test prints each mismatch and a count, and ends with 1", async () => {
    const file = cases([
      { id: "one", input: { command: "ls" }, expected: "auto" },
      { id: "two", input: { command: "rm -rf /" }, expected: "auto", why: "a rule of mine" },
      { id: "three", input: { op: "write", path: ".git/config" }, expected: "ask" },
      { id: "four", input: { url: "http://127.0.0.1/" }, expected: "allow", accept: ["allow", "deny"] },
      { id: "five", input: { url: "http://example.com/" }, expected: "allow", stage: "response" }
    ])
    const { code, stderr, stdout } = await tollgate(at, ["policy", "test", file])
    assert.match(stdout, /✗ two expected auto, is deny\n {4}shell\/[a-z-]+: .+\n {4}a rule of mine\n/)
    assert.match(stdout, /✗ three expected ask, is deny\n/)
    assert.include(stdout, "5 cases: 2 as expected, 2 otherwise, 1 not run here\n    1 need a server that answers\n")
    assert.include(stderr, "2 cases of")
    assert.strictEqual(code, 1)
  })

  it("test builds what a file of fixtures beside it says, and nothing outside of a directory of its own", async () => {
    const outside = path.join(at.home, "outside")
    fs.writeFileSync(path.join(at.work, "cases.fixture.json"), JSON.stringify([["symlink", "/w/l", "/home/u/.ssh"]]))
    const file = cases([{ id: "link", input: { op: "write", path: "l/x" }, expected: "deny" }])
    assert.strictEqual((await tollgate(at, ["policy", "test", file])).code, 0)
    for (const fs_ of [
      [
        ["symlink", "/w/d", "/proc/self/cwd"],
        ["file", "/w/d/escaped"]
      ],
      [
        ["symlink", "/w/d", "/proc/self/root"],
        ["file", `/w/d${outside}`]
      ],
      [["file", "/w/../../../escaped"]],
      [["file", "escaped"]],
      [["device", "/w/x"]]
    ]) {
      const given = cases([{ id: "escape", input: { op: "read", path: "a", fs: fs_ }, expected: "allow" }])
      const { code, stderr, stdout } = await tollgate(at, ["policy", "test", given])
      assert.include(stderr, "row 1 (escape)")
      assert.strictEqual(stdout, "")
      assert.strictEqual(code, 2)
    }
    assert.deepStrictEqual(fs.readdirSync(at.work).sort(), ["cases.fixture.json", "cases.json"])
    assert.isFalse(fs.existsSync(outside))
  })

  it.each([
    ["{", "it is not JSON"],
    ["{}", "it is not an array"],
    [[{ id: "x", input: {}, expected: "ask" }], "row 1 (x): input"],
    [[{ id: "x", input: { command: "ls" }, expected: "perhaps" }], "row 1 (x): expected"],
    [
      [
        { id: "ok", input: { command: "ls" }, expected: "ask" },
        { input: { command: "ls" }, expected: "ask" }
      ],
      "row 2: id"
    ],
    [
      [{ id: "x", input: { url: "http://x/", policy: { allowPrivate: ["x"] } }, expected: "deny" }],
      "row 1 (x): input.policy"
    ]
  ])("test refuses %j with exit code 2 and a sentence", async (rows, said) => {
    const { code, stderr, stdout } = await tollgate(at, ["policy", "test", cases(rows)])
    assert.include(stderr, said)
    assert.strictEqual(stdout, "")
    assert.strictEqual(code, 2)
    assert.isFalse(hasTrace(stderr))
  })

  it("test refuses a file that is not there, and a directory", async () => {
    for (const [file, said] of [
      ["/nowhere.json", "there is no such file"],
      [at.work, "it is not a file"]
    ] as const) {
      const { code, stderr } = await tollgate(at, ["policy", "test", file])
      assert.include(stderr, said)
      assert.strictEqual(code, 2)
    }
  })

  it("explain says verdict, rule and reason, as text and as JSON", async () => {
    fs.symlinkSync("/etc", path.join(at.work, "l"))
    const rows = [
      [["shell", "ls; pwd"], "allow", "shell/"],
      [["shell", "touch x"], "ask", "shell/"],
      [["shell", "rm -rf /"], "deny", "shell/"],
      [["shell", "cat l/hosts"], "ask", "path/outside"],
      [["path", "new.txt", "--op", "write"], "allow", "path/inside"],
      [["path", "l/hosts"], "ask", "path/outside"],
      [["path", ".git/config", "--op", "write"], "deny", "path/"],
      [["url", "https://example.com/"], "allow", "network/url"],
      [["url", "http://127.0.0.1/"], "deny", "network/private-address"]
    ] as const
    for (const [[kind, input, ...more], decision, rule] of rows) {
      const told = await tollgate(at, ["policy", "explain", kind, ...more, "--json", input])
      assert.strictEqual(told.code, 0, told.stderr)
      const said = JSON.parse(told.stdout) as Record<string, string>
      assert.deepInclude(said, { kind, input, decision })
      assert.include(said["rule"] ?? "", rule)
      assert.isNotEmpty(said["reason"])
      const text = await tollgate(at, ["policy", "explain", kind, ...more, input])
      const word = kind === "shell" && decision === "allow" ? "auto" : decision
      assert.strictEqual(text.stdout, `${word}  ${said["rule"]}\n${said["reason"]}\n`)
    }
    assert.deepStrictEqual(fs.readdirSync(at.work), ["l"])
  })

  it.each([
    [["policy"], "explain, test"],
    [["policy", "explain"], "shell, path, url"],
    [["policy", "tes", "x"], "Did you mean test?"]
  ])("%j says what there is, with exit code 2", async (args, said) => {
    const { code, stderr } = await tollgate(at, args)
    assert.include(stderr, said)
    assert.strictEqual(code, 2)
  })
})
