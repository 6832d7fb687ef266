import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { locked, unlocked } from "../../src/config/ConfigLock.ts"
import { DatabaseFull, DatabaseLocked, DatabaseUnreadable } from "../../src/database/DatabaseError.ts"

describe("a configuration that cannot be written", () => {
  it("says why in one sentence, and what helps against that (U13)", () => {
    const file = "/h/config.lock"
    const said = (error: Parameters<typeof unlocked>[1]) => unlocked("/h/config.json", error).message
    assert.strictEqual(
      said(new DatabaseFull({ file })),
      "The configuration /h/config.json cannot be written: the disk is full. Nothing has changed. Free some space and try again."
    )
    assert.match(said(new DatabaseLocked({ file })), /for 10 seconds\. Nothing has changed\. Wait for it to end/)
    assert.match(said(new DatabaseUnreadable({ file, reason: "permission denied" })), /Make its directory writable/)
  })

  it.scoped("names a lock that is another file, which is left as it is (U13)", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "unwritable-"))),
        (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true }))
      )
      const lock = path.join(folder, "config.lock")
      const text = "mine\n".repeat(200)
      fs.writeFileSync(lock, text)
      const error = yield* Effect.flip(locked(path.join(folder, "config.json"))(Effect.void))
      assert.include(error.message, `its lock ${lock} is not the file that Tollgate made. Nothing has changed.`)
      assert.notMatch(error.message, /\.\.|database/)
      assert.strictEqual(fs.readFileSync(lock, "utf8"), text)
    })
  )
})
