// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { keep, type Place, place, scripted, tollgate } from "./command.ts"

const call = { call: { name: "list_dir", arguments: { path: "." } } }

const damages: Readonly<Record<string, (file: string) => void>> = {
  "is full of other bytes": (file) => fs.writeFileSync(file, "not a database, but long enough for one ".repeat(200)),
  "has lost its first byte": (file) => {
    const bytes = fs.readFileSync(file)
    bytes[0] = 0
    fs.writeFileSync(file, bytes)
  },
  "is cut in half": (file) => fs.truncateSync(file, Math.floor(fs.statSync(file).size / 2)),
  "is gone": (file) => fs.rmSync(file),
  "is a directory": (file) => {
    fs.rmSync(file)
    fs.mkdirSync(file)
  }
}

describe("the advice for a damaged database", () => {
  let at: Place
  let restore: () => void
  beforeAll(async () => {
    at = place()
    scripted(at, [{ steps: [call] }, { steps: [{ say: "Listed." }] }])
    assert.strictEqual((await tollgate(at, ["run", "list"])).code, 0)
    restore = keep(at)
  })
  beforeEach(() => restore())
  afterAll(() => at.remove())

  it.each(Object.entries(damages))(
    "starts a new one as it is typed, where the database %s (R9)",
    async (what, damage) => {
      const home = at.env["TOLLGATE_HOME"]!
      const file = path.join(home, "tollgate.db")
      damage(file)
      const refused = await tollgate(at, ["run", "list"])
      assert.notStrictEqual(refused.code, 0)
      if (/bytes?$|half$/.test(what)) assert.include(refused.stderr, "is damaged")
      const [, command = ""] = /To start with a new one: (.*)$/m.exec(refused.stderr.trimEnd()) ?? []
      assert.notStrictEqual(command, "", refused.stderr)
      const moved = spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" })
      assert.deepStrictEqual([moved.status, moved.stderr], [0, ""], command)
      const fresh = await tollgate(at, ["run", "list"])
      assert.strictEqual(fresh.code, 0, fresh.stderr)
      const { stdout } = await tollgate(at, ["doctor", "--offline"])
      assert.match(stdout, /audit\s+intact/)
      assert.isTrue(fs.existsSync(path.join(home, "old", "approvals", "audit.key")))
    }
  )
})
