// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "./command.ts"

describe.runIf(process.getuid !== undefined)("files that other users can read or change", () => {
  let at: Place
  beforeEach(() => {
    at = place()
    scripted(at, [{ steps: [{ say: "Hello." }] }])
  })
  afterEach(() => at.remove())

  it("are named by the doctor with the commands that mend them, and no others are (S5)", async () => {
    assert.strictEqual((await tollgate(at, ["run", "hello"])).code, 0)
    const doctor = async () => (await tollgate(at, ["doctor", "--offline"])).stdout
    assert.notInclude(await doctor(), "permissions")
    const home = at.env["TOLLGATE_HOME"]!
    const database = path.join(home, "tollgate.db")
    fs.chmodSync(home, 0o755)
    assert.notInclude(await doctor(), "permissions")
    fs.chmodSync(home, 0o777)
    fs.chmodSync(database, 0o666)
    fs.chmodSync(path.join(home, "approvals", "audit.key"), 0o644)
    fs.chmodSync(path.join(home, "config.json"), 0o664)
    const said = await doctor()
    assert.include(said, `other users can read and change ${database}`)
    assert.include(said, `other users can change ${home}\n`)
    const commands = [...said.matchAll(/^ +(chmod .*)$/gm)].map(([, command = ""]) => command)
    assert.strictEqual(commands.length, 4, said)
    for (const command of commands) assert.strictEqual(spawnSync("/bin/sh", ["-c", command]).status, 0, command)
    assert.notInclude(await doctor(), "permissions")
    assert.strictEqual(fs.statSync(database).mode & 0o777, 0o600)
  })
})
