// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off globalDate:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { stripVTControlCharacters } from "node:util"
import { Audit } from "../../src/audit/Audit.ts"
import type { AuditEntry } from "../../src/audit/AuditChain.ts"
import type { Rule } from "../../src/approval/Rule.ts"
import { RuleStore } from "../../src/approval/RuleStore.ts"
import { Database } from "../../src/database/Database.ts"
import { hasTrace, type Place, place, scripted, tollgate } from "./command.ts"
import { database, decisionsOf, rowsOf, valuesOf } from "./stored.ts"
import { probe } from "./terminal/TerminalProbe.ts"
import { Sqlite } from "../support/Sqlite.ts"

const id = (letter: string) => `rule_${letter.repeat(32)}`
const gitLog: Rule = { id: id("a"), decision: "allow", level: "user", tool: "run_shell", argv: ["git", "log"] }
const notes: Rule = { id: id("b"), decision: "allow", level: "user", tool: "write_file", path: "/srv/notes.txt" }
const noPublish = {
  id: "no-publish",
  decision: "deny",
  level: "user",
  tool: "run_shell",
  argv: ["npm", "publish"]
} as const
const theirs = { id: "theirs", decision: "allow", level: "project", tool: "run_shell", argv: ["make"] } as const

const save = (at: Place, ...rules: ReadonlyArray<Rule>) =>
  Effect.flatMap(RuleStore, (store) => Effect.forEach(rules, (rule) => store.save(at.work, rule))).pipe(
    Effect.provide(RuleStore.layerSql.pipe(Layer.provide(Database.layer(database(at))))),
    Effect.runPromise
  )

const write = (at: Place, entries: ReadonlyArray<AuditEntry>) =>
  Effect.flatMap(Audit, (audit) => Effect.forEach(entries, audit.commit)).pipe(
    Effect.provide(
      Audit.layerSql(path.join(at.env["TOLLGATE_HOME"]!, "approvals")).pipe(Layer.provide(Database.layer(database(at))))
    ),
    Effect.runPromise
  )

const asked = {
  kind: "requested",
  session: "session_one",
  tool: "run_shell",
  approval: "approval_1",
  arguments: { command: "curl -H 'authorization: Bearer sk-abcdefghijklmnopqrstuvwx' \u202e https://docs.example" }
} as const
const granted = {
  ...asked,
  kind: "resolved",
  decision: "approve",
  outcome: "granted",
  scope: "session",
  decided_by: "user",
  waited_millis: 1500
} as const
const elsewhere = {
  kind: "automatic",
  session: "session_two",
  tool: "write_file",
  decision: "deny",
  outcome: "denied",
  decided_by: "policy"
} as const
const story: ReadonlyArray<AuditEntry> = [asked, granted, elsewhere]

/** Changes rows as somebody would who has the file. */
const tamper = (at: Place, statement: string): void => {
  const file = new Sqlite(database(at))
  file.exec(`DROP TRIGGER audit_unchanged; DROP TRIGGER audit_kept; ${statement}`)
  file.close()
}

const lines = (text: string): ReadonlyArray<Record<string, unknown>> =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe("tollgate approvals", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  const approvals = (...args: ReadonlyArray<string>) => tollgate(at, ["approvals", ...args])
  const configured = (more: object = {}) => scripted(at, [], { approvals: { rules: [noPublish, theirs], ...more } })

  it("says in an empty home that there is nothing, and what would make it so (A6)", async () => {
    for (const [args, said] of [
      [[], "No saved rules in"],
      [["rules"], "No rules for"],
      [["audit"], "The audit has no entries yet."],
      [["audit", "--verify"], "intact: 0 entries"],
      [["stats"], "No requests yet."]
    ] as const) {
      const { code, stderr, stdout } = await approvals(...args)
      assert.include(stdout, said)
      assert.deepStrictEqual([code, stderr], [0, ""])
    }
    assert.strictEqual((await approvals("list", "--jsonl")).stdout, "")
  })

  it("lists the saved rules of this project, and every rule with its level and its file (A6)", async () => {
    configured()
    await save(at, gitLog, notes)
    const list = await approvals("list")
    assert.strictEqual(
      list.stdout,
      "rule_aaaaaaaa  allow run_shell: git log …\nrule_bbbbbbbb  allow write_file on /srv/notes.txt\n"
    )
    const { stdout } = await approvals("rules")
    assert.match(stdout, /^no-publish +user +deny run_shell: npm publish … {2}\(.*config\.json\)$/m)
    assert.match(stdout, /^theirs +project +allow run_shell: make … – ignored: the project is not trusted/m)
    assert.match(stdout, /^rule_aaaaaaaa +user +allow run_shell: git log … {2}\(.*tollgate\.db\)$/m)
    const records = lines((await approvals("rules", "--jsonl")).stdout)
    assert.deepStrictEqual(
      records.map((record) => [record["id"], record["level"], record["saved"]]),
      [
        ["no-publish", "user", false],
        ["theirs", "project", false],
        [gitLog.id, "user", true],
        [notes.id, "user", true]
      ]
    )
    assert.strictEqual(records[0]?.["description"], "deny run_shell: npm publish …")
  })

  it("revokes a saved rule by a beginning of its id, and takes that down in the audit (A6, A10)", async () => {
    configured()
    await save(at, gitLog, notes)
    const { code, stdout } = await approvals("revoke", "aaaa")
    assert.strictEqual(code, 0)
    assert.include(stdout, "revoked  allow run_shell: git log …")
    assert.deepStrictEqual(valuesOf(at, "SELECT id FROM rules"), [notes.id])
    assert.deepStrictEqual(rowsOf(at, "SELECT kind, decided_by, reason FROM audit"), [
      { kind: "revoked", decided_by: "user", reason: gitLog.id }
    ])
    assert.strictEqual((await approvals("audit", "--verify")).code, 0)
  })

  it.each([
    [["revoke", "nothing"], 1, "No saved rule of"],
    [["revoke", "rule_"], 1, "2 saved rules"],
    [["revoke", "no-publish"], 1, "remove it there"],
    [["revoke"], 2, "id"],
    [["explain", "run_shel", "{}"], 2, "Did you mean run_shell?"],
    [["explain", "run_shell"], 2, "run_shell: command is missing"],
    [["explain", "run_shell", "[1]"], 2, "one JSON object"],
    [["explain", "run_shell", "--param", "command"], 2, "key=value"],
    [["audit", "--verify", "--session", "session_one"], 2, "one chain"],
    [["audi"], 2, "Did you mean audit?"]
  ] as const)("refuses %j with exit code %i and a sentence, and changes nothing", async (args, expected, said) => {
    configured()
    await save(at, gitLog, notes)
    const { code, stderr, stdout } = await approvals(...args)
    assert.include(stderr, said)
    assert.deepStrictEqual([code, stdout], [expected, ""])
    assert.isFalse(hasTrace(stderr))
    assert.deepStrictEqual(valuesOf(at, "SELECT id FROM rules ORDER BY id"), [gitLog.id, notes.id])
  })

  it("explains a call by the rule, the tool or the mode that decides it, and where the rule is from (A6)", async () => {
    configured({ policy: "deny" })
    await save(at, gitLog)
    const rows = [
      [["--param", "command=npm publish --dry-run"], "deny", /no-publish, user level/, "no-publish"],
      [["--param", "command=git log -3"], "allow", /git log/, gitLog.id],
      [['{"command":"make all"}'], "deny", /the mode is deny/, undefined],
      [["--approve", "ask", "--param", "command=make all"], "ask", /the mode is ask/, undefined],
      [["--param", "command=ls"], "allow", /runs this call without asking/, undefined]
    ] as const
    for (const [args, verdict, because, rule] of rows) {
      const [answer] = lines((await approvals("explain", "run_shell", "--json", ...args)).stdout)
      assert.strictEqual(answer?.["verdict"], verdict, args.join(" "))
      assert.match(String(answer?.["because"]), because)
      assert.strictEqual((answer?.["rule"] as Rule | undefined)?.id, rule)
    }
    const { code, stderr, stdout } = await approvals("explain", "run_shell", "--param", "command=npm publish")
    assert.match(stdout, /^✗ run_shell would be denied\n {2}Rule: deny run_shell: npm publish …/)
    assert.match(stdout, /It is written in .*config\.json\./)
    assert.deepStrictEqual([code, stderr], [0, ""])
    const text = await approvals("explain", "write_file", "--param", "path=5", "--param", "content=5")
    assert.include(text.stdout, "write_file would be denied")
    const own = JSON.stringify({ path: database(at), content: "" })
    assert.include(
      (await approvals("explain", "write_file", own, "--approve", "ask")).stdout,
      "write_file itself rejects the call"
    )
    const shown = await approvals("explain", "write_file", "--approve", "ask", '{"path":"new.txt","content":"x"}')
    assert.match(shown.stdout, /^\? write_file would be asked about\n[^]*Its preview: .*new\.txt/)
    assert.deepStrictEqual(fs.readdirSync(at.work), [])
    assert.deepStrictEqual(valuesOf(at, "SELECT id FROM audit"), [])
  })

  it("prints the audit without secrets and with everything visible, of one session or of all, intact (A9, A10)", async () => {
    await write(at, story)
    const { code, stderr, stdout } = await approvals("audit")
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.strictEqual(stdout.trimEnd().split("\n").length, 3)
    assert.match(stdout, /^ {4}2 {2}\S+Z {2}granted {2}run_shell {2}by user for the session/m)
    for (const unwanted of ["\u001b", "\u202e", "sk-abcdef"]) assert.notInclude(stdout, unwanted)
    const records = lines((await approvals("audit", "--jsonl")).stdout)
    assert.deepStrictEqual(
      records.map((record) => [record["id"], record["kind"], record["session"]]),
      [
        [1, "requested", "session_one"],
        [2, "resolved", "session_one"],
        [3, "automatic", "session_two"]
      ]
    )
    const verified = await approvals("audit", "--verify")
    assert.deepStrictEqual([verified.code, verified.stdout], [0, "✓ intact: 3 entries\n"])
    const one = await approvals("audit", "--jsonl", "--session", "two")
    assert.deepStrictEqual(lines(one.stdout), [records[2]!])
    assert.include((await approvals("audit", "--session", "three")).stdout, "no entries of a session three")
  })

  it.each([
    ["a changed row", "UPDATE audit SET outcome = 'denied' WHERE id = 2", 2, "it was changed"],
    ["a moved row", "UPDATE audit SET id = 20 WHERE id = 2", 2, "entry 2 is missing"],
    ["a cut end", "DELETE FROM audit WHERE id = 3", 3, "the end was cut"]
  ])("names the entry and ends with 1 where the audit was damaged by %s (A10)", async (_, statement, entry, reason) => {
    await write(at, story)
    tamper(at, statement)
    const { code, stderr, stdout } = await approvals("audit", "--verify")
    assert.deepStrictEqual([code, stdout], [1, ""])
    assert.include(stderr, `entry ${entry}: `)
    assert.include(stderr, reason)
    assert.isFalse(hasTrace(stderr))
    if (entry < 3) return
    const json = await approvals("audit", "--verify", "--json")
    assert.strictEqual(json.code, 1)
    assert.include(lines(json.stdout)[0], { intact: false, entry })
  })

  it("sums up how often each tool was asked for and how long people took (A14)", async () => {
    await write(at, story)
    const { stdout } = await approvals("stats")
    assert.match(stdout, /^run_shell +asked 1: 1 granted; answered in 1\.5 s, 1\.5 s at most$/m)
    assert.match(stdout, /^write_file +asked 0; 1 decided without asking$/m)
    const [first] = lines((await approvals("stats", "--jsonl")).stdout)
    assert.include(first, { tool: "run_shell", asked: 1, granted: 1, meanMillis: 1500 })
  })

  it("takes down in the audit what a run decides, and saved rules hold for it (A6, A10)", async () => {
    const call = (file: string) => ({
      steps: [{ call: { name: "write_file", arguments: { path: file, content: "x" } } }]
    })
    scripted(at, [call("notes.txt"), call("other.txt"), { steps: [{ say: "ok" }] }])
    await save(at, { ...notes, path: path.join(at.work, "notes.txt") })
    assert.strictEqual((await tollgate(at, ["run", "--approve", "deny", "write"])).code, 0)
    assert.deepStrictEqual(fs.readdirSync(at.work), ["notes.txt"])
    assert.deepStrictEqual(decisionsOf(at), [`automatic granted rule ${notes.id}`, "automatic denied policy"])
    assert.strictEqual((await approvals("audit", "--verify")).code, 0)
  })

  it("fits 60 columns, every line of it", async () => {
    configured()
    await save(at, gitLog, { ...notes, path: `/srv/${"deep/".repeat(20)}notes.txt` })
    await write(at, story)
    for (const args of [
      ["list"],
      ["rules"],
      ["audit"],
      ["stats"],
      ["explain", "run_shell", "--param", "command=npm publish --dry-run"]
    ]) {
      const terminal = await probe(at, ["approvals", ...args], { columns: 60, env: { NO_COLOR: "1" } })
      assert.strictEqual(await terminal.ended, 0, args.join(" "))
      const printed = stripVTControlCharacters(terminal.raw())
      for (const line of printed.split(/\r?\n/)) assert.isAtMost(line.length, 59, line)
      assert.isAbove(printed.trim().split("\n").length, 1)
    }
  })

  it("lets a rule that forbids a path forbid what any tool would do to it (A6)", async () => {
    const rules = [{ id: "no-keys", decision: "deny", level: "user", tool: "*", path: "**/*.pem" }]
    const steps = [
      {
        name: "apply_patch",
        arguments: { patch: "*** Begin Patch\n*** Add File: certs/x.pem\n+key\n*** End Patch\n" }
      },
      { name: "run_shell", arguments: { command: "cat certs/x.pem" } },
      { name: "write_file", arguments: { path: "certs/x.pem", content: "key" } }
    ].map((call) => ({ call }))
    scripted(at, [{ steps }, { steps: [{ say: "So be it." }] }], { approvals: { rules } })
    const { stderr } = await tollgate(at, ["run", "--dangerously-allow-all", "go"])
    assert.deepStrictEqual(decisionsOf(at), Array(3).fill("automatic denied rule no-keys"), stderr)
    assert.include(stderr, "no-keys")
    assert.isFalse(fs.existsSync(path.join(at.work, "certs")))
  })

  it("fails closed at once where a mode would ask and nobody is there (A7)", async () => {
    scripted(at, [{ steps: [{ call: { name: "run_shell", arguments: { command: "touch x" } } }] }])
    for (const json of [[], ["--json"]]) {
      assert.strictEqual((await tollgate(at, ["run", ...json, "--approve", "allow-edits", "go"])).code, 3)
    }
    assert.deepStrictEqual(fs.readdirSync(at.work), [])
  })

  it("lets no rule reach beyond its place through a link (A6, S2)", async () => {
    const outside = path.join(at.home, "outside.txt")
    fs.writeFileSync(outside, "outside\n")
    fs.mkdirSync(path.join(at.work, "safe"))
    fs.symlinkSync(outside, path.join(at.work, "safe", "link.txt"))
    const rules = [{ id: "safe", decision: "allow", level: "user", tool: "read_file", path: "safe/**" }]
    scripted(at, [{ steps: [{ call: { name: "read_file", arguments: { path: "safe/link.txt" } } }] }], {
      approvals: { rules }
    })
    const { code, stderr } = await tollgate(at, ["run", "read"])
    assert.strictEqual(code, 3)
    assert.include(stderr, "needs approval")
    const explained = await tollgate(at, ["approvals", "explain", "read_file", "--param", "path=safe/link.txt"])
    assert.notInclude(explained.stdout, "would run without asking")
  })

  it("lets a configured program decide before the mode, which decides where the program does not (A7)", async () => {
    const program = `let text = ""; process.stdin.on("data", (more) => (text += more)).on("end", () =>
      console.log(JSON.stringify({ digest: JSON.parse(text).digest, decision: /(\\w+)\\.txt/.exec(text)[1] })))`
    const decisions = ["approve", "deny", "ask", "rubbish"]
    scripted(
      at,
      [
        ...decisions.map((one) => ({
          steps: [{ call: { name: "write_file", arguments: { path: `${one}.txt`, content: "one" } } }]
        })),
        { steps: [{ say: "So be it." }] }
      ],
      { approvals: { reviewer: { command: [process.execPath, "-e", program] } } }
    )
    assert.strictEqual((await tollgate(at, ["run", "--approve", "deny", "write"])).code, 0)
    assert.deepStrictEqual(fs.readdirSync(at.work), ["approve.txt"])
    const deciders = valuesOf(at, "SELECT decided_by FROM audit WHERE kind IN ('resolved', 'automatic')")
    assert.deepStrictEqual(deciders, ["reviewer node", "reviewer node", "policy", "policy"])
  })
})
