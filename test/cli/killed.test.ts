// @effect-diagnostics asyncFunction:off newPromise:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Sqlite } from "../support/Sqlite.ts"
import { until } from "../support/until.ts"
import { type Place, place, scripted, start, tollgate } from "./command.ts"
import { database } from "./stored.ts"

let at: Place
beforeEach(() => void (at = place()))
afterEach(() => at.remove())

/** The process that stores the next event never comes to an end. */
const stuck = `CREATE TRIGGER stuck BEFORE INSERT ON events BEGIN
  SELECT count(*) FROM (WITH RECURSIVE endless (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless) SELECT n FROM endless);
END`

describe("a process that is killed before its session has an event", () => {
  it("leaves no session that is listed, found or gone on with, whatever made it (K2, R9)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Done." }] }])
    assert.strictEqual((await tollgate(at, ["run", "hello"])).code, 0)
    const listed = () => tollgate(at, ["sessions", "list", "--json"])
    const before = await listed()
    const [{ id }] = JSON.parse(before.stdout) as [{ id: string }]
    const document = JSON.stringify([{ role: "user", content: "imported" }])
    let rows = 1
    for (const [args, input] of [
      [["import", "-"], document],
      [["sessions", "fork", id], ""],
      [["run", "again"], ""]
    ] as const) {
      const before = new Sqlite(database(at))
      before.exec(stuck)
      const running = await start(at, args, input)
      rows++
      await until(() => Number(before.values("SELECT count(*) FROM sessions")[0]) >= rows)
      running.kill("SIGKILL")
      await running.ended
      before.exec("DROP TRIGGER stuck")
      before.close()
    }
    assert.strictEqual((await listed()).stdout, before.stdout)
    assert.strictEqual((await tollgate(at, ["sessions", "show", "session_"])).code, 0)
    assert.strictEqual((await tollgate(at, ["run", "--continue", "go on"])).code, 0)
    const [last, ...others] = JSON.parse((await listed()).stdout) as [{ id: string }]
    assert.deepStrictEqual([last.id, others], [id, []])
  })
})

describe("a signal that opens the debugger of Node", () => {
  it("opens none, through which another process of the user could take the gate over (T19)", async () => {
    scripted(at, [{ steps: [{ say: "Done." }] }])
    const running = await start(at, ["run", "--input-format", "jsonl"], null, { NODE_OPTIONS: "--inspect-port=0" })
    await running.seen("SessionCreated")
    running.kill("SIGUSR1")
    running.end('{"_tag":"SubmitPrompt","prompt":"hello"}\n')
    const { code, stderr } = await running.ended
    assert.deepStrictEqual([code, stderr], [0, ""])
  })
})
