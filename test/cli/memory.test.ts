// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { hasTrace, type Place, place, scripted, tollgate } from "./command.ts"
import { probe } from "./terminal/TerminalProbe.ts"

const secret = "sk-abcdefghijklmnopqrstuvwx"

describe("what a project remembers", () => {
  let at: Place
  beforeEach(() => {
    at = place()
    scripted(at, [{ repeat: true, steps: [{ say: "Understood." }] }])
  })
  afterEach(() => at.remove())

  it("is listed, searched, shown, exported and forgotten from outside, that of no other project (K3, S5)", async () => {
    assert.strictEqual(
      (await tollgate(at, ["memory"])).stdout.split("\n", 1)[0],
      `${at.work} remembers nothing yet. Type # and a note at the prompt, or let the model remember.`
    )
    const said = await tollgate(at, [
      "run",
      `Always install with pnpm.\nNever log ${secret}.\nRemember that \u202Eports are taken.`
    ])
    const piped = await tollgate(at, ["run", "go on"], "Always use what was piped in.")
    assert.notInclude(piped.stderr, "remembered")
    assert.match(said.stderr, /remembered for this project: Always install with pnpm\. · \/memory forget 1/)
    const { stdout: listed } = await tollgate(at, ["memory", "list"])
    assert.deepStrictEqual(
      listed.split("\n").map((line) => line.slice(0, 27).trim()),
      ["3  fact        project", "2  preference  project", "1  preference  project", ""]
    )
    assert.include(listed, "\\u{202E}ports")
    assert.notInclude(listed, secret)
    assert.match(
      (await tollgate(at, ["memory", "search", "inst", "--json"])).stdout,
      /^\[\n\{[^\n]*pnpm[^\n]*\}\n\]\n$/
    )
    assert.match(
      (await tollgate(at, ["memory", "show", "1"])).stdout,
      /^kind: preference\nscope: project\nsession: session_\w+\nnoted: \S+Z\norigin: prompt\ntask: task_\w+\n\nAlways install with pnpm\.\n$/
    )

    const elsewhere = path.join(at.home, "other")
    fs.mkdirSync(path.join(elsewhere, ".git"), { recursive: true })
    const other = { ...at, work: elsewhere }
    assert.include((await tollgate(other, ["memory", "list"])).stdout, "remembers nothing yet")
    const kept = await tollgate(other, ["memory", "forget", "1"])
    assert.deepStrictEqual([kept.code, hasTrace(kept.stderr)], [1, false])
    assert.include(kept.stderr, `${elsewhere} has no memory 1. tollgate memory list shows what there is.`)

    const misnamed = await tollgate(at, ["memory", "show", "nosuch"])
    assert.strictEqual(misnamed.code, 2)
    assert.include(misnamed.stderr, 'a memory is named by its number, not "nosuch"; tollgate memory list shows them')
    assert.include((await tollgate(at, ["memory", "forget", "1"])).stdout, "forgotten: Always install with pnpm.")
    const exported = (await tollgate(at, ["memory", "export"])).stdout.trimEnd().split("\n")
    assert.deepStrictEqual(
      exported.map((line) => (JSON.parse(line) as { id: number }).id),
      [3, 2]
    )
  })

  it("is said when it is kept, and listed and forgotten at the prompt (K3, U7)", async () => {
    const terminal = await probe(at, [])
    await terminal.idle()
    terminal.press("I prefer tabs.\r")
    await terminal.seen("remembered for this project: I prefer tabs. · /memory forget 1")
    terminal.press("/memory\r")
    await terminal.seen(/1 {2}preference {2}project {2}just now {5}I prefer tabs\./)
    terminal.press("/memory forget it\r")
    await terminal.seen("usage: /memory forget ID, a number; /memory lists them")
    terminal.press("/memory forget 1\r")
    await terminal.seen("forgotten: I prefer tabs.")
    terminal.press("\u0004")
    await terminal.ended
  })
})
