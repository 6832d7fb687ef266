// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { callsIn } from "../../src/cli/policyReplay/TranscriptCalls.ts"
import { planned, tool } from "../mcp/support.ts"
import { hasTrace, type Place, place, scripted, tollgate } from "./command.ts"
import { database } from "./stored.ts"

const secret = ["sk-ant-api03", "a".repeat(93), "AA"].join("-")

interface Document {
  readonly calls: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly groups: ReadonlyArray<unknown>
  readonly unread: {
    readonly count: number
    readonly first: ReadonlyArray<{ readonly file: string; readonly line?: number; readonly problem: string }>
  }
}

describe("tollgate policy replay", () => {
  let at: Place
  beforeEach(() => {
    at = place()
    fs.mkdirSync(path.join(at.work, ".git"))
  })
  afterEach(() => at.remove())

  const claudeCall = (id: string, name: string, input: object, timestamp = "2026-11-20T10:00:00.000Z") => ({
    type: "assistant",
    uuid: `u-${id}`,
    sessionId: "s1",
    cwd: at.work,
    timestamp,
    message: { id: `m-${id}`, role: "assistant", content: [{ type: "tool_use", id, name, input }] }
  })
  const claudeEnd = (id: string, content = "ok", isError = false) => ({
    type: "user",
    uuid: `r-${id}`,
    sessionId: "s1",
    cwd: at.work,
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, is_error: isError }] }
  })
  const codexLine = (type: string, payload: object) => ({ timestamp: "2026-11-21T10:00:00.000Z", type, payload })
  const written = (file: string, lines: ReadonlyArray<unknown>): string => {
    const place = path.join(at.home, file)
    fs.mkdirSync(path.dirname(place), { recursive: true })
    fs.writeFileSync(place, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""))
    return place
  }
  const claudeFile = () =>
    written(".claude/projects/-work/s1.jsonl", [
      claudeCall("t1", "Bash", { command: "touch made-by-replay" }),
      claudeEnd("t1"),
      "{ broken",
      claudeCall("t2", "Read", { file_path: path.join(at.work, "gone.txt") }),
      claudeEnd("t2"),
      claudeCall("t3", "Bash", { command: "git push origin main" }),
      claudeEnd("t3", "The user doesn't want to proceed with this tool use. The tool use was rejected", true),
      claudeCall("t1", "Bash", { command: "touch made-by-replay" }),
      claudeEnd("t1"),
      claudeCall("t4", "NoSuchTool", { token: secret, text: "a\u202eb" }),
      claudeCall("t0", "Bash", { command: "ls" }, "2025-01-01T10:00:00.000Z"),
      claudeEnd("t0")
    ])
  const codexFile = () =>
    written(".codex/sessions/2026/11/21/rollout-1.jsonl", [
      codexLine("session_meta", { id: "c1", cwd: at.work }),
      codexLine("response_item", {
        type: "function_call",
        name: "exec_command",
        arguments: JSON.stringify({ cmd: "touch made-by-replay" }),
        call_id: "k1"
      }),
      codexLine("response_item", { type: "function_call_output", call_id: "k1", output: "" }),
      codexLine("response_item", {
        type: "custom_tool_call",
        name: "apply_patch",
        input: "*** Begin Patch\n*** Add File: made-by-replay\n+x\n*** End Patch",
        call_id: "k2"
      }),
      codexLine("response_item", { type: "custom_tool_call_output", call_id: "k2", output: "patch rejected by user" })
    ])
  const json = async (args: ReadonlyArray<string>): Promise<Document> => {
    const { code, stderr, stdout } = await tollgate(at, ["policy", "replay", "--json", ...args])
    assert.strictEqual(stderr, "")
    assert.strictEqual(code, 0)
    return JSON.parse(stdout) as Document
  }
  const ways = ({ calls }: Document) => Object.fromEntries(calls.map(({ id, now, was }) => [id, `${was} → ${now}`]))
  const denying = () => {
    const file = path.join(at.home, "rules.json")
    fs.writeFileSync(
      file,
      JSON.stringify([
        { id: "no-touch", decision: "deny", tool: "run_shell", argv: ["touch"] },
        { id: "patches", decision: "allow", tool: "apply_patch", path: "made-by-*" }
      ])
    )
    return file
  }

  it("judges transcripts of other agents where they are kept, by rules that are yet to be, and runs nothing (X5)", async () => {
    claudeFile()
    codexFile()
    const before = await json([])
    assert.deepInclude(ways(before), {
      t1: "ran → defer",
      t2: "ran → allow",
      t3: "refused → ask",
      t4: "unknown → unjudged",
      t0: "ran → allow",
      k1: "ran → defer",
      k2: "refused → defer"
    })
    assert.strictEqual(before.calls.length, 7)
    assert.strictEqual(before.unread.count, 1)
    assert.strictEqual(before.unread.first[0]?.line, 3)
    const after = await json(["--rules", denying(), "--since", "2026-11-01"])
    const { t0: _, ...recent } = ways(before)
    assert.deepStrictEqual(ways(after), { ...recent, t1: "ran → deny", k1: "ran → deny" })
    const changed = after.calls.filter(({ changes }) => changes === true).map(({ id }) => id)
    assert.sameMembers(changed, ["t1", "k1", "k2"])
    const known = after.calls.find(({ id }) => id === "t1")
    assert.strictEqual(known?.["by"], "rule no-touch")
    assert.notInclude(JSON.stringify(after), secret)
    assert.deepStrictEqual(fs.readdirSync(at.work), [".git"])
    assert.isFalse(fs.existsSync(database(at)))
  })

  it("shows a person groups with examples, and the lines that it could not read (X5)", async () => {
    const file = claudeFile()
    const { code, stderr, stdout } = await tollgate(at, ["policy", "replay", "--rules", denying(), file])
    assert.strictEqual(stderr, "")
    assert.match(stdout, /^5 calls: 1 would change, 1 cannot be judged\n/)
    assert.match(stdout, /! ran {6}→ deny +1\n {4}claude Bash: touch made-by-replay\n {6}.*no-touch/)
    assert.match(stdout, /1 line or file could not be read[^]*s1\.jsonl:3: the line is not valid JSON/)
    assert.notInclude(stdout, "\u202e")
    assert.notInclude(stdout, secret)
    assert.strictEqual(code, 0)
  })

  it("judges calls of our own log by the same rules (X5)", async () => {
    const call = (name: string, args: object) => ({ steps: [{ call: { name, arguments: args } }] })
    scripted(at, [
      call("run_shell", { command: "ls" }),
      call("write_file", { path: "a.txt", content: "x" }),
      { steps: [{ say: "Done." }] }
    ])
    const ran = [
      await tollgate(at, ["run", "--mode", "deny", "go"]),
      await tollgate(at, ["run", "--mode", "edits", "go"])
    ]
    const ends = async () =>
      (await json([])).calls.map(({ agent, now, was, tool }) => [agent, tool, was, now].join(" ")).sort()
    assert.deepStrictEqual(
      await ends(),
      [
        "tollgate run_shell ran allow",
        "tollgate run_shell ran allow",
        "tollgate write_file ran ask",
        "tollgate write_file refused ask"
      ],
      JSON.stringify(ran)
    )
    const rules = path.join(at.home, "rules.json")
    fs.writeFileSync(
      rules,
      JSON.stringify({ approvals: { rules: [{ id: "no-ls", decision: "deny", tool: "run_shell", argv: ["ls"] }] } })
    )
    const after = await json(["--rules", rules, "--agent", "tollgate"])
    const denied = after.calls.filter(({ tool }) => tool === "run_shell")
    assert.strictEqual(denied.length, 2)
    for (const one of denied) assert.deepInclude(one, { was: "ran", now: "deny", by: "rule no-ls", changes: true })
    assert.deepStrictEqual((await json(["--agent", "codex"])).calls, [])
  })

  it("judges calls of servers in our log by what the servers offer, and starts none (X1, X5)", async () => {
    scripted(at, [])
    const server = planned(at.home, "fix", { tools: [tool("echo")] })
    const command = "command" in server.known.server ? server.known.server.command : []
    assert.strictEqual((await tollgate(at, ["mcp", "add", "fix", "--yes", "--", ...command])).code, 0)
    const file = path.join(at.env["TOLLGATE_HOME"]!, "config.json")
    const settings = JSON.parse(fs.readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>
    scripted(
      at,
      [{ steps: [{ call: { name: "fix__echo", arguments: { text: "hi" } } }] }, { steps: [{ say: "Done." }] }],
      settings
    )
    await tollgate(at, ["run", "--dangerously-allow-all", "go"])
    const started = server.started()
    assert.deepStrictEqual(ways(await json([])), { call_1_1: "ran → ask" })
    const rules = path.join(at.home, "rules.json")
    fs.writeFileSync(rules, JSON.stringify([{ id: "no-echo", decision: "deny", tool: "fix__echo" }]))
    const [denied] = (await json(["--rules", rules])).calls
    assert.deepInclude(denied, { tool: "fix__echo", now: "deny", by: "rule no-echo" })
    assert.strictEqual(server.started(), started)
    assert.strictEqual((await tollgate(at, ["mcp", "remove", "fix"])).code, 0)
    assert.deepInclude((await json([])).calls[0], { now: "unjudged" })
  })

  it("refuses what it cannot use, and says which file and why (X5)", async () => {
    const rules = path.join(at.home, "rules.json")
    fs.writeFileSync(rules, '[{"id":"x"}]')
    for (const args of [
      ["--rules", rules],
      ["--rules", path.join(at.home, "none.json")],
      ["--since", "soon"],
      ["--agent", "tollgate", rules]
    ]) {
      const { code, stderr } = await tollgate(at, ["policy", "replay", ...args])
      assert.strictEqual(code, 2, args.join(" "))
      assert.isFalse(hasTrace(stderr))
    }
    const gone = await tollgate(at, ["policy", "replay", claudeFile(), path.join(at.home, "none.jsonl")])
    assert.strictEqual(gone.code, 2)
    assert.strictEqual(gone.stdout, "")
    assert.match(gone.stderr, /none\.jsonl: it does not exist\. Nothing was judged\./)
  })

  it("judges the transcripts below a directory that is named, and tells of calls without a name (X5)", async () => {
    claudeFile()
    written(".claude/projects/-work/s2.jsonl", [
      { ...claudeCall("u1", "Bash", {}), message: { content: [{ type: "tool_use", id: "u1", input: {} }] } },
      claudeCall("u2", "Bash", { command: "ls" })
    ])
    const found = await json([path.join(at.home, ".claude")])
    assert.deepInclude(ways(found), { t1: "ran → defer", u2: "unknown → allow" })
    const told = found.unread.first.find(({ file }) => file.endsWith("s2.jsonl"))
    assert.deepInclude(told, { line: 1, problem: "it has a call without an id or a name" })
  })
})

describe("TranscriptCalls", () => {
  it("refuses a message that it cannot look into, so that the line is told of (X5)", () => {
    const line = (message: unknown) => ({ type: "assistant", uuid: "1", sessionId: "s", message })
    const calls = callsIn(line({ content: [] }))
    assert.deepStrictEqual(calls?.line(line({ content: "text alone" })), [])
    for (const message of [5, null, {}, { content: 5 }, { content: [5, null] }]) {
      assert.throws(() => calls?.line(line(message)), /its message has/, JSON.stringify(message))
    }
  })

  it("gives up the oldest call of a transcript that ends none", () => {
    const call = (id: number) => ({
      type: "assistant",
      uuid: `${id}`,
      message: { content: [{ type: "tool_use", id: `${id}`, name: "Bash", input: {} }] }
    })
    const calls = callsIn(call(0))
    const given = Array.from({ length: 1500 }, (_, id) => calls?.line(call(id)) ?? []).flat()
    assert.deepStrictEqual(
      given.map(({ id, was }) => [id, was]),
      Array.from({ length: 500 }, (_, id) => [`${id}`, "unknown"])
    )
    assert.strictEqual(calls?.end().length, 1000)
  })
})
