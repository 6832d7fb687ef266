// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off globalDate:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "./command.ts"
import { Sqlite } from "../support/Sqlite.ts"

describe("tollgate backup", () => {
  let at: Place
  beforeEach(() => {
    at = place()
    scripted(at, [{ steps: [{ say: "Done." }] }])
  })
  afterEach(() => at.remove())

  it("makes one verified file that takes the place of a lost database; doctor finds what is damaged (K4, R9)", async () => {
    const home = at.env["TOLLGATE_HOME"]!
    const file = path.join(home, "tollgate.db")
    assert.strictEqual((await tollgate(at, ["run", "hello"])).code, 0)
    const copy = path.join(at.work, "copy.db")
    const made = await tollgate(at, ["backup", copy])
    assert.strictEqual(made.code, 0, made.stderr)
    assert.match(made.stdout, /^✓ .*copy\.db: 1 session, \d+ events, \d+ KiB\n$/)
    assert.strictEqual(fs.statSync(copy).mode & 0o777, 0o600)
    const again = await tollgate(at, ["backup", copy])
    assert.deepStrictEqual([again.code, again.stderr.includes("already exists")], [2, true])
    const elsewhere = await tollgate(at, ["backup", path.join(at.work, "none", "copy.db")])
    assert.strictEqual(elsewhere.code, 2)
    assert.include(elsewhere.stderr, `Directory ${path.join(at.work, "none")} `)
    assert.deepStrictEqual(fs.readdirSync(at.work), ["copy.db"])

    for (const end of ["", "-wal", "-shm"]) fs.rmSync(`${file}${end}`, { force: true })
    const lost = await tollgate(at, ["sessions", "list"])
    assert.strictEqual(lost.code, 1)
    assert.include(lost.stderr, `${file} has lost`)
    fs.copyFileSync(copy, file)
    fs.rmSync(`${file}-anchor`)
    const restored = await tollgate(at, ["sessions", "list"])
    assert.strictEqual(restored.code, 0, restored.stderr)
    assert.include(restored.stdout, "hello")
    assert.include(restored.stderr, "anchor")

    assert.match((await tollgate(at, ["doctor"])).stdout, /✓ sessions .* 1 session, \d+ events.*\n✓ audit {2}intact/)
    const sqlite = new Sqlite(file)
    sqlite.exec("DELETE FROM events WHERE seq = 2")
    sqlite.close()
    const { code, stdout } = await tollgate(at, ["doctor"])
    assert.notStrictEqual(code, 0)
    assert.match(stdout, /✗ sessions .*event 2 is missing/)
  })
})
