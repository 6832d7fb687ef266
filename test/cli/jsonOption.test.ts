// @effect-diagnostics asyncFunction:off - drives real processes from outside
import * as Command from "@effect/cli/Command"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { optionsOf } from "../../src/cli/commandLine.ts"
import { tree } from "../../src/cli/command/root.ts"
import { type CommandTree, help } from "../../src/cli/Help.ts"
import { plain } from "../../src/cli/terminal/Style.ts"
import { type Place, place, scripted, tollgate } from "./command.ts"
import { probes } from "./terminal/TerminalProbe.ts"

/** What a command says of itself that prints data, or says what it has changed. */
const printing = /^(?:List|Show|Print|Find|Search|Explain|Summarise|Sum|Check|Copy|Forget|Answer)\b|^Revoke (?!a token)/
/** What shows how something looked or looks, or prints what is typed or pasted as it stands. */
const forPeople = ["tollgate replay", "tollgate tour", "tollgate mcp show", "tollgate mcp import"]

const commands = (node: CommandTree, names: ReadonlyArray<string>): ReadonlyArray<readonly [string, CommandTree]> => [
  ...(node.below === undefined || optionsOf(Command.getUsage(node.command)).length > 0
    ? [[names.join(" "), node] as const]
    : []),
  ...Object.entries(node.below ?? {}).flatMap(([name, below]) => commands(below, [...names, name]))
]

describe("--json", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  const { open } = probes(() => at)

  const document = async (args: ReadonlyArray<string>, code = 0): Promise<Record<string, unknown>> => {
    const ended = await tollgate(at, [...args, "--json"])
    assert.strictEqual(ended.code, code, `${args.join(" ")}: ${ended.stderr}`)
    return JSON.parse(ended.stdout) as Record<string, unknown>
  }

  it("is taken by every command that says of itself that it prints something (U1)", () => {
    const all = commands(tree, ["tollgate"])
    assert.isAbove(all.length, 50)
    const without = all.flatMap(([name, node]) => {
      const text = help(node, name.split(" "), plain)
      const about = text.slice(text.indexOf("  ") + 2).split("\n")[0] ?? ""
      return printing.test(about) && !/^ +--json\b/m.test(text) && !forPeople.includes(name) ? [name] : []
    })
    assert.deepStrictEqual(without, [])
  })

  it("gives the fields of the list for one memory, and for one that is forgotten (U1, M4)", async () => {
    scripted(at, [{ steps: [{ call: { name: "remember", arguments: { text: "The barn is red." } } }] }])
    await tollgate(at, ["run", "look", "--dangerously-allow-all"])
    const [entry] = (await document(["memory", "list"])) as unknown as ReadonlyArray<Record<string, unknown>>
    const id = String(entry?.["id"])
    assert.strictEqual(entry?.["text"], "The barn is red.")
    assert.deepStrictEqual(await document(["memory", "show", id]), entry)
    assert.deepStrictEqual(await document(["memory", "forget", id]), { ...entry, forgotten: true })
  })

  it("gives an open request, and what came of its answer, for which nothing is asked (U1, A5)", async () => {
    scripted(at, [{ steps: [{ call: { name: "write_file", arguments: { path: "a.txt", content: "one" } } }] }])
    const terminal = await open(["run", "write"])
    await terminal.seen("allow?")
    const [waiting] = (await document(["approvals", "list"])) as unknown as ReadonlyArray<Record<string, unknown>>
    const { digest, id, sessionId } = waiting as Record<"digest" | "id" | "sessionId", string>
    assert.deepStrictEqual(await document(["approvals", "show", id]), waiting)
    const unasked = await tollgate(at, ["approvals", "answer", id, "yes", "--json"])
    assert.deepStrictEqual([unasked.code, unasked.stdout], [2, ""])
    assert.include(unasked.stderr, "--json asks nothing: say --digest as well.")
    assert.deepStrictEqual(await document(["approvals", "answer", id, "yes", "--digest", digest]), {
      id,
      sessionId,
      tool: "write_file",
      decision: "approve",
      scope: "once",
      taken: true
    })
    await terminal.ended
  })

  it("gives the fields of the list for a rule that is revoked (U1, A7)", async () => {
    scripted(at, [{ steps: [{ call: { name: "write_file", arguments: { path: "a.txt", content: "one" } } }] }])
    const terminal = await open(["run", "write"])
    await terminal.seen("allow?")
    terminal.press("a")
    await terminal.seen(/always[^]*enter/i)
    terminal.press("\r")
    await terminal.ended
    const [rule] = (await document(["approvals", "list"])) as unknown as ReadonlyArray<Record<string, unknown>>
    assert.strictEqual(rule?.["kind"], "rule")
    assert.deepStrictEqual(await document(["approvals", "revoke", String(rule?.["id"])]), { ...rule, revoked: true })
  })

  it("gives the fields of the list for a token that is revoked (U1)", async () => {
    scripted(at, [])
    await tollgate(at, ["tokens", "add", "ci", "--scope", "operate", "--expires", "4w"])
    const [token] = (await document(["tokens", "list"])) as unknown as ReadonlyArray<Record<string, unknown>>
    assert.strictEqual(token?.["name"], "ci")
    assert.deepStrictEqual(await document(["tokens", "revoke", "ci"]), { ...token, revoked: true })
    assert.deepStrictEqual(await document(["tokens", "list"]), [] as unknown as Record<string, unknown>)
  })

  it("says what a project would bring, what was trusted, and what no longer is (U1, T8)", async () => {
    scripted(at, [])
    assert.include(await document(["trust"]), { trusted: false })
    fs.mkdirSync(path.join(at.work, ".tollgate"))
    const rules = [{ id: "grep", tool: "grep", decision: "ask", level: "project" }]
    fs.writeFileSync(path.join(at.work, ".tollgate", "config.json"), JSON.stringify({ approvals: { rules } }))
    const before = await document(["trust"], 3)
    assert.deepStrictEqual(before, {
      project: at.work,
      trusted: false,
      hooks: [],
      hookFiles: [],
      rules,
      workers: {},
      commands: [],
      servers: [],
      problems: []
    })
    assert.deepStrictEqual(await document(["trust", "--yes"]), { ...before, trusted: true })
    assert.include(await document(["trust"]), { trusted: true })
    assert.deepStrictEqual(await document(["trust", "revoke"]), { project: at.work, revoked: true })
  })

  it("says which cases failed and which are none, and what is in a backup (U1)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Hello." }] }])
    const file = path.join(at.work, "cases.json")
    const cases = [
      { id: "ls", input: { command: "ls" }, expected: "allow" },
      { id: "rm", input: { command: "rm -rf /" }, expected: "allow", why: "a wrong one" }
    ]
    fs.writeFileSync(file, JSON.stringify(cases))
    const { failed, ...counts } = await document(["policy", "test", file], 1)
    assert.deepStrictEqual(counts, { cases: 2, passed: 1, invalid: [] })
    const [one, ...others] = failed as ReadonlyArray<Record<string, unknown>>
    assert.include(one, { id: "rm", decision: "deny", why: "a wrong one" })
    assert.deepStrictEqual([one?.["expected"], others], [["allow"], []])
    fs.writeFileSync(file, JSON.stringify([...cases.slice(0, 1), { id: "none", input: {} }]))
    const { invalid } = await document(["policy", "test", file], 2)
    assert.include((invalid as ReadonlyArray<object>)[0], { row: 2, id: "none" })
    await tollgate(at, ["run", "hi"])
    const backup = path.join(at.work, "copy")
    const { events, ...copied } = await document(["backup", backup])
    assert.deepStrictEqual(copied, { file: backup, sessions: 1, bytes: fs.statSync(backup).size })
    assert.isAbove(Number(events), 2)
  })
})
