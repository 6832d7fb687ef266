// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { RuleStore } from "../../src/approval/RuleStore.ts"
import { Database } from "../../src/database/Database.ts"
import { hasTrace, type Place, place, scripted, start, tollgate } from "./command.ts"
import { database } from "./stored.ts"

describe("tollgate policy", () => {
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

  it("test passes the cases of the README in a project of anyone (S2, S3, S4)", async () => {
    const readme = fs.readFileSync(path.resolve("docs/configuration.md"), "utf8")
    const [, rows = ""] = /```json\n(\[\n[^`]*"expected"[^`]*)```/.exec(readme) ?? []
    const { code, stderr, stdout } = await tollgate(at, ["policy", "test", cases(rows)])
    assert.match(stdout, /^(\d+) cases: \1 passed, 0 failed\n$/)
    assert.strictEqual(stderr, "")
    assert.strictEqual(code, 0)
  })

  const ls = { input: { command: "ls" }, expected: "auto" }

  it("test judges each case in the project it runs in, and prints each failure and a count (S2, S3, S4)", async () => {
    fs.symlinkSync("/etc", path.join(at.work, "out"))
    const rows = [
      { ...ls, id: "one" },
      { id: "two", input: { command: "rm -rf /" }, expected: "auto", why: "a rule of mine" },
      { id: "three", input: { op: "write", path: ".git/config" }, expected: "ask" },
      { id: "four", input: { url: "http://127.0.0.1/" }, expected: "allow", accept: ["allow", "deny"] },
      { id: "link", input: { op: "read", path: "out/hosts" }, expected: "ask" },
      { id: "shell link", input: { command: "cat out/hosts" }, expected: "ask" },
      { id: "whole", input: { op: "read", path: path.join(at.work, "x") }, expected: "allow" }
    ]
    for (const text of [JSON.stringify(rows), `${rows.map((row) => JSON.stringify(row)).join("\n\n")}\n`]) {
      const { code, stderr, stdout } = await tollgate(at, ["policy", "test", cases(text)])
      assert.match(
        stdout,
        /^✗ two expected allow, is deny\n {4}shell\/[a-z-]+: .+\n {4}a rule of mine\n✗ three expected ask/
      )
      assert.match(stdout, /✗ three expected ask, is deny\n {4}path\/.*\n7 cases: 5 passed, 2 failed\n$/)
      assert.match(stderr, /^[^\n]*2 cases in .*cases\.json failed; see above\.\n$/)
      assert.strictEqual(code, 1)
    }
  })

  it("test says what `policy explain` says, by the policy alone or with --rules (A6, S2, S3, S4)", async () => {
    const rule = (id: string, decision: string, tool: string, more: object) => ({
      id,
      level: "user",
      decision,
      tool,
      ...more
    })
    scripted(at, [], {
      network: { unaskedHosts: ["docs.example"] },
      approvals: {
        rules: [
          rule("no-draft", "deny", "*", { path: "**/*.draft" }),
          rule("tests", "allow", "run_shell", { argv: ["npm", "test"] }),
          rule("notes", "allow", "write_file", { path: "notes/**" }),
          rule("look", "ask", "run_shell", { argv: ["ls"] })
        ]
      }
    })
    const rows = [
      [{ op: "read", path: "certs/a.draft" }, "allow", "deny"],
      [{ op: "write", path: "notes/a.md" }, "allow", "allow"],
      [{ op: "write", path: "a.md" }, "allow", "ask"],
      [{ op: "write", path: ".git/config" }, "deny", "deny"],
      [{ command: "npm test" }, "ask", "allow"],
      [{ command: "ls" }, "allow", "ask"],
      [{ command: "rm -rf /" }, "deny", "deny"],
      [{ url: "https://docs.example/" }, "allow", "allow"],
      [{ url: "https://a.example/" }, "allow", "ask"],
      [{ command: "cat a.draft" }, "allow", "deny"],
      [{ command: "npm test; rm -rf /" }, "deny", "deny"]
    ] as const
    const explained = [0, 5, 8]
    const judged = (which: 1 | 2) =>
      cases(rows.map((row, index) => ({ id: `${index}`, input: row[0], expected: row[which] })))
    const plain = await tollgate(at, ["policy", "test", judged(1)])
    assert.strictEqual(plain.code, 0, plain.stdout)
    const ruled = await tollgate(at, ["policy", "test", "--rules", judged(2)])
    assert.strictEqual(ruled.code, 0, ruled.stdout)
    const wrong = await tollgate(at, ["policy", "test", "--rules", judged(1)])
    assert.match(wrong.stdout, /✗ 0 expected allow, is deny\n {4}no-draft: deny every tool on \*\*\/\*\.draft/)
    assert.include(wrong.stdout, "11 cases: 5 passed, 6 failed\n")
    for (const [input, policy, decision] of rows.filter((_, index) => explained.includes(index))) {
      const asked =
        "command" in input
          ? ["shell", input.command]
          : "url" in input
            ? ["url", input.url]
            : ["path", input.path, "--op", input.op]
      const { stdout } = await tollgate(at, ["policy", "explain", asked[0]!, "--json", ...asked.slice(1)])
      const said = JSON.parse(stdout) as { readonly decision: string; readonly policy: { decision: string } }
      assert.deepStrictEqual([said.policy.decision, said.decision], [policy, decision])
    }
  })

  it("test ignores columns it does not know, and names them once (S2, S3, S4)", async () => {
    const file = cases([
      { ...ls, id: "a", class: "benign", source: { page: 1 } },
      { id: "b", class: 5, input: { command: "pwd", context: { cwd: "/elsewhere" } }, expected: "allow" },
      { id: "c", kind: "x", input: { url: "https://a.example/", dns: {} }, expected: "allow" }
    ])
    const { code, stderr, stdout } = await tollgate(at, ["policy", "test", file])
    assert.strictEqual(stdout, "3 cases: 3 passed, 0 failed\n")
    assert.strictEqual(stderr, "tollgate: ignored columns: class, source, input.context, kind, input.dns\n")
    assert.strictEqual(code, 0)
  })

  it("test changes nothing, and ends at once where it is interrupted (S2)", async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => ({
      id: `${index}`,
      input: { op: "write", path: "x" },
      expected: index === 20 ? "deny" : "allow"
    }))
    const running = await start(at, ["policy", "test", cases(many)])
    await running.seen("✗ 20 expected deny")
    running.kill("SIGINT")
    const { code, stdout } = await running.ended
    assert.strictEqual(code, 130)
    assert.notInclude(stdout, "20000 cases")
    assert.deepStrictEqual(fs.readdirSync(at.work), ["cases.json"])
  })

  it.each([
    ["", "it holds no case"],
    ["{", "it is not JSON"],
    ["[", "it is not JSON"],
    ["[]", "it holds no case"],
    ["{}", "row 1: input"]
  ])("test refuses %j with exit code 2 and a sentence", async (rows, said) => {
    const { code, stderr, stdout } = await tollgate(at, ["policy", "test", cases(rows)])
    assert.include(`${stdout}${stderr}`, said)
    assert.strictEqual(code, 2)
    assert.isFalse(hasTrace(stderr))
  })

  it("test judges the cases beside an invalid one, and says of each row which", async () => {
    const invalid: ReadonlyArray<readonly [object, string]> = [
      [{ id: "x5", input: {}, expected: "ask" }, "row 5 (x5): input"],
      [{ id: "x6", kind: "redact", input: "a", expected: "masked" }, "row 6 (x6): input"],
      [{ id: "x7", input: { op: "config", path: "a" }, expected: "ask" }, "row 7 (x7): input.op"],
      [{ id: "x8", input: { op: "read" }, expected: "ask" }, "row 8 (x8): input.path"],
      [{ ...ls, id: "x9", expected: "perhaps" }, "row 9 (x9): expected"],
      [{ ...ls, id: "x10", accept: ["auto", "never"] }, "row 10 (x10): accept.1"],
      [{ ...ls, id: "x11", accept: [] }, "row 11 (x11): accept"],
      [ls, "row 12: id"],
      [{ ...ls, id: "a" }, "row 13 (a): its id is that of row 1"]
    ]
    const plain = [{ ...ls, id: "a" }, { id: "b" }, { ...ls, id: "c", expected: "deny" }, 5]
    const every = await tollgate(at, ["policy", "test", cases([...plain, ...invalid.map(([row]) => row)])])
    for (const [, said] of invalid) assert.include(every.stdout, said)
    assert.include(every.stdout, "13 cases: 1 passed, 1 failed, 11 invalid\n")
    const { code, stderr, stdout } = await tollgate(at, ["policy", "test", cases(plain)])
    assert.isFalse(hasTrace(stderr))
    assert.match(stdout, /✗ .*row 2 \(b\): input.*\n✗ c expected deny, is allow\n(?:.*\n)*✗ .*row 4: /)
    assert.include(stdout, "4 cases: 1 passed, 1 failed, 2 invalid\n")
    assert.match(stderr, /^[^\n]*2 rows of .*cases\.json cannot be judged; see above\.\n/)
    assert.strictEqual(code, 2)
  })

  it("test says of a word that it does not know which it knows, once", async () => {
    const path = { input: { op: "zz", path: "a" }, expected: "ask" }
    const rows = [
      { ...ls, id: "a", expected: "alow" },
      { ...ls, id: "b", accept: ["alow"] },
      { ...path, id: "c" }
    ]
    const { stderr, stdout } = await tollgate(at, ["policy", "test", cases(rows)])
    const decisions = String.raw`expected "allow", "ask" or "deny", is "alow"`
    assert.include(stdout, `row 1 (a): expected: ${decisions}. `)
    assert.include(stdout, `row 2 (b): accept.0: ${decisions}. `)
    const operations = `expected "read", "write", "remove", "list", "glob" or "grep", is "zz"`
    assert.include(stdout, `row 3 (c): input.op: ${operations}. `)
    assert.notInclude(stderr, "expected")
  })

  it("test takes a megabyte of cases, and refuses what no one has written", async () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({ ...ls, id: `case ${index}`, why: "w".repeat(330) }))
    const file = cases(many)
    assert.isAbove(fs.statSync(file).size, 1024 * 1024)
    const { code, stdout } = await tollgate(at, ["policy", "test", file])
    assert.strictEqual(stdout, "3000 cases: 3000 passed, 0 failed\n")
    assert.strictEqual(code, 0)
    fs.truncateSync(file, 17 * 1024 * 1024)
    assert.include((await tollgate(at, ["policy", "test", file])).stderr, "it is larger than")
  })

  it("test refuses a file that is not there, and a directory", async () => {
    for (const [file, said] of [
      ["/nowhere.json", "it does not exist"],
      [at.work, "it is not a file"]
    ] as const) {
      const { code, stderr } = await tollgate(at, ["policy", "test", file])
      assert.include(stderr, said)
      assert.strictEqual(code, 2)
    }
  })

  it("explain says verdict, rule and reason, as text and as JSON, and what the policy says by itself", async () => {
    fs.symlinkSync("/etc", path.join(at.work, "l"))
    const rows = [
      [["shell", "ls; pwd"], "allow", "shell/"],
      [["shell", "rm -rf /"], "deny", "shell/"],
      [["shell", "cat l/hosts"], "ask", "path/outside"],
      [["path", "new.txt", "--op", "write"], "ask", "tool/write_file", "allow", "path/inside"],
      [["path", "new.txt", "--op", "remove"], "ask", "tool/apply_patch", "allow", "path/inside"],
      [["path", ".git/config", "--op", "write"], "deny", "path/"],
      [["url", "https://example.com/"], "ask", "network/host-not-listed", "allow", "network/url"]
    ] as const
    for (const [[kind, input, ...more], decision, rule, alone = decision, by = rule] of rows) {
      const told = await tollgate(at, ["policy", "explain", kind, ...more, "--json", input])
      assert.strictEqual(told.code, 0, told.stderr)
      const said = JSON.parse(told.stdout) as Record<string, string> & { readonly policy: Record<string, string> }
      assert.deepInclude(said, { kind, input, decision })
      assert.include(said["rule"] ?? "", rule)
      assert.isNotEmpty(said["reason"])
      assert.strictEqual(said.policy["decision"], alone)
      assert.include(said.policy["rule"], by)
      if (!["rm -rf /", "new.txt", "https://example.com/"].includes(input) || more[1] === "remove") continue
      const text = await tollgate(at, ["policy", "explain", kind, ...more, input])
      const besides = alone === decision ? "" : `The policy by itself: ${alone}  ${by}, ${said.policy["reason"]}\n`
      const bad = /^severity: .*\n(?: {2}.*\n)*/m.exec(text.stdout)?.[0] ?? ""
      assert.strictEqual(bad !== "", kind === "shell")
      assert.strictEqual(text.stdout, `${decision}  ${said["rule"]}\n${said["reason"]}\n${besides}${bad}`)
    }
    assert.deepStrictEqual(fs.readdirSync(at.work), ["l"])
  })

  it("explain weighs the user's own rules, and says where the one that decides is written (A6, S2, S3, S4)", async () => {
    const rule = (decision: string, tool: string, more: object) => ({
      id: `my-${decision}`,
      level: "user",
      decision,
      tool,
      ...more
    })
    const rules = [
      rule("deny", "*", { path: "**/*.draft" }),
      rule("allow", "run_shell", { argv: ["npm", "test"] }),
      rule("ask", "fetch_url", { host: "docs.example" })
    ]
    scripted(at, [], { approvals: { rules }, network: { unaskedHosts: ["docs.example", "free.example"] } })
    const file = path.join(at.env["TOLLGATE_HOME"]!, "config.json")
    const rows = [
      [["path", "certs/a.draft"], "deny", "my-deny", "allow", file],
      [["shell", "cat a.draft"], "deny", "my-deny", "allow", file],
      [["shell", "npm test"], "allow", "my-allow", "ask", file],
      [["shell", "npm test; rm -rf /"], "deny", "shell/", "deny", undefined],
      [["url", "https://docs.example/"], "ask", "my-ask", "allow", file],
      [["url", "https://free.example/"], "allow", "network/url", "allow", undefined]
    ] as const
    for (const [[kind, input], decision, id, alone, source] of rows) {
      const said = JSON.parse((await tollgate(at, ["policy", "explain", kind, "--json", input])).stdout) as {
        readonly rule: string
        readonly decision: string
        readonly source?: string
        readonly policy: { readonly decision: string }
      }
      assert.deepStrictEqual([said.decision, said.policy.decision, said.source], [decision, alone, source], input)
      assert.include(said.rule, id)
    }
    const { stdout } = await tollgate(at, ["policy", "explain", "path", "certs/a.draft"])
    assert.match(
      stdout,
      /^deny {2}my-deny\ndeny every tool on .*\nIt is written in .*config\.json\.\nThe policy by itself: allow/
    )
  })

  it("explain heeds a saved rule, and of a project's only those of a trusted one (A6)", async () => {
    fs.mkdirSync(path.join(at.work, ".git"))
    fs.mkdirSync(path.join(at.work, ".tollgate"))
    const rules = [{ id: "theirs", decision: "allow", tool: "run_shell", argv: ["make"] }]
    fs.writeFileSync(path.join(at.work, ".tollgate", "config.json"), JSON.stringify({ approvals: { rules } }))
    const explained = async () => (await tollgate(at, ["policy", "explain", "shell", "make"])).stdout
    const before = await explained()
    assert.match(before, /^ask /)
    assert.include(before, "Some rules are ignored here")
    assert.strictEqual((await tollgate(at, ["trust", "--yes"])).code, 0)
    assert.match(await explained(), /^allow {2}theirs\n/)
    const never = { id: "rule_never", level: "user", decision: "deny", tool: "run_shell", argv: ["make"] } as const
    await Effect.flatMap(RuleStore, (store) => store.save(at.work, never)).pipe(
      Effect.provide(Layer.provide(RuleStore.layerSql, Database.layer(database(at)))),
      Effect.runPromise
    )
    assert.match(await explained(), /^deny {2}rule_never\n.*\nIt is written in .*tollgate\.db\.\n/)
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
