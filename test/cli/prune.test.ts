// @effect-diagnostics asyncFunction:off newPromise:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { built } from "../support/built.ts"
import { type Place, place, scripted, tollgate } from "./command.ts"
import { database, sessionsOf } from "./stored.ts"

const write = { call: { name: "write_file", arguments: { path: "a.txt", content: "a\n" } } }

describe("sessions prune", () => {
  let at: Place
  beforeEach(() => {
    at = place()
    scripted(at, [
      { when: "large", steps: [{ say: crypto.randomBytes(2 * 1024 * 1024).toString("hex") }] },
      { when: "wait", steps: [write] },
      { repeat: true, steps: [{ say: "Fine." }] }
    ])
  })
  afterEach(() => at.remove())

  it("leaves what is open or waits for an answer, and gives back what the database no longer needs (K6)", async () => {
    const size = () => fs.statSync(database(at)).size
    const titles = () =>
      sessionsOf(at)
        .map(({ title }) => title)
        .toSorted()
    assert.strictEqual((await tollgate(at, ["run", "large"])).code, 0)
    const lines = ["run", "--input-format", "jsonl", "--output-format", "jsonl"]
    await tollgate(at, lines, `${JSON.stringify({ _tag: "SubmitPrompt", prompt: "wait" })}\n`)
    const open = spawn(process.execPath, [await built(), ...lines], { cwd: at.work, env: at.env })
    const closed = new Promise((resolve) => open.on("close", resolve))
    await new Promise<void>((resolve) => {
      createInterface({ input: open.stdout }).on("line", (line) => {
        if (line.includes('"TaskCompleted"')) resolve()
      })
      open.stdin.write(`${JSON.stringify({ _tag: "SubmitPrompt", prompt: "open" })}\n`)
    })
    const before = size()

    const dry = await tollgate(at, ["sessions", "prune", "--larger-than", "0B", "--dry-run"])
    assert.match(dry.stdout, /1 session, \d.* would be deleted/)
    assert.deepStrictEqual(titles(), ["large", "open", "wait"])

    const pruned = await tollgate(at, ["sessions", "prune", "--larger-than", "0B", "--yes"])
    assert.match(pruned.stdout, new RegExp(`open in process ${open.pid}`))
    assert.match(pruned.stdout, /waits for an answer/)
    assert.match(pruned.stdout, /free for later sessions; to shrink the file/)
    assert.deepStrictEqual(titles(), ["open", "wait"])
    assert.isAtLeast(size(), before, "the file is shrunk while another process uses it")

    open.stdin.end()
    await closed
    const later = await tollgate(at, ["sessions", "prune", "--older-than", "1d", "--yes"])
    assert.match(later.stdout, /No session to delete/)
    assert.match(later.stdout, /the database shrank from \d.* to \d/)
    assert.isBelow(size(), before - 4 * 1024 * 1024)
    assert.deepStrictEqual(titles(), ["open", "wait"])
    assert.strictEqual((await tollgate(at, ["search", "wait"])).code, 0)
  })

  it("says what cannot be removed of which session, keeps that, and succeeds once it can (K6)", async () => {
    const kept = path.join(at.env["TOLLGATE_HOME"]!, "checkpoints")
    for (const prompt of ["one", "two"]) assert.strictEqual((await tollgate(at, ["run", prompt])).code, 0)
    const ids = () => sessionsOf(at).map(({ id }) => id)
    const before = ids()
    fs.rmSync(kept, { recursive: true, force: true })
    fs.writeFileSync(kept, "no directory")
    const deleted = await tollgate(at, ["sessions", "delete", before[0]!, "--yes"])
    assert.strictEqual(deleted.code, 1)
    assert.include(deleted.stderr, `contents of session ${before[0]} could not be removed: ${kept}`)
    assert.notInclude(deleted.stdout, "is deleted")
    const pruned = await tollgate(at, ["sessions", "prune", "--larger-than", "0B", "--yes"])
    assert.strictEqual(pruned.stdout.split("part of the path is not a directory").length - 1, 2)
    assert.include(pruned.stdout, "0 sessions deleted")
    assert.deepStrictEqual(ids(), before)
    fs.rmSync(kept)
    const later = await tollgate(at, ["sessions", "prune", "--larger-than", "0B", "--yes"])
    assert.include(later.stdout, "2 sessions deleted")
    assert.deepStrictEqual(ids(), [])
  })
})
