// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "./command.ts"
import { eventsOf, sessionsOf, valuesOf } from "./stored.ts"
import { leave, probes } from "./terminal/TerminalProbe.ts"

describe("a conversation that is compacted from the command line", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  const { prompt } = probes(() => at)

  const config = (turns: ReadonlyArray<unknown>) => {
    scripted(at, turns)
    const file = path.join(at.env["TOLLGATE_HOME"]!, "config.json")
    const { profiles } = JSON.parse(fs.readFileSync(file, "utf8"))
    fs.writeFileSync(file, JSON.stringify({ profiles: { test: { ...profiles.test, contextWindow: 100_000 } } }))
  }

  it("is edited in $EDITOR before it counts, an empty file cancels, and the context is smaller (K3, U7, U12)", async () => {
    const say = (text: string, inputTokens: number) => ({
      steps: [{ say: text }, { usage: { inputTokens, outputTokens: 20_000 } }]
    })
    config([say(`Noted.${" so".repeat(20_000)}`, 5000), say("Draft one.", 25_000), say("Draft two.", 25_000)])
    const editor = path.join(at.home, "editor.sh")
    fs.writeFileSync(editor, '[ -e "$0.ran" ] && sed -i s/two/mine/ "$1" || : > "$1"\ntouch "$0.ran"\n')
    const terminal = await prompt([], { env: { EDITOR: `sh ${editor}`, VISUAL: "" }, columns: 100 })
    terminal.press("/compact\r")
    await terminal.seen("nothing to summarise yet")
    terminal.press("remember the number 7\r")
    await terminal.idle("ctx 25%")
    terminal.press("/compact --edit keep numbers\r")
    await terminal.idle("the summary was left empty: the model's context is as it was")
    terminal.press("/compact --edit\r")
    await terminal.seen(/the model's context is now a summary: about 2\dk tokens before, [56]k now/)
    await terminal.idle(/ctx [56]%/)
    terminal.press("/context\r")
    await terminal.seen(/system +1 message/)
    await leave(terminal)
    const events = eventsOf(at)
    assert.include(events, "Draft mine.")
    assert.include(events, "remember the number 7")
  })

  it("is compacted from outside, and says why it is not (K3, C1)", async () => {
    config([
      { when: "keep numbers", steps: [{ say: "The number is 7." }] },
      { when: "fail", steps: [{ call: { name: "read_file", arguments: { path: "x" } } }] },
      { steps: [{ say: "Noted." }] }
    ])
    assert.strictEqual((await tollgate(at, ["run", "remember the number 7"])).code, 0)
    const session = sessionsOf(at)[0]!
    const done = await tollgate(at, ["sessions", "compact", session.id, "keep", "numbers"])
    assert.strictEqual(done.code, 0, done.stderr)
    assert.include(done.stderr, "the model's context is now a summary")
    const { stdout } = await tollgate(at, ["search", "remember", "--json"])
    assert.include(stdout, "remember the number 7")
    const fork = JSON.parse((await tollgate(at, ["sessions", "fork", session.id, "--at", "2", "--json"])).stdout)
    const empty = await tollgate(at, ["sessions", "compact", fork.session])
    assert.deepStrictEqual([empty.code, empty.stdout, empty.stderr], [0, "", "Nothing to summarise yet.\n"])
    const document = await tollgate(at, ["sessions", "compact", fork.session, "--json"])
    assert.deepInclude(JSON.parse(document.stdout), { session: fork.session, outcome: "completed", text: "" })
    const failed = await tollgate(at, ["sessions", "compact", session.id, "fail"])
    assert.notStrictEqual(failed.code, 0)
    assert.include(failed.stderr, "it made calls instead of a summary")
    assert.isTrue(valuesOf(at, "SELECT worker FROM events").some((worker) => /compaction.*root/.test(String(worker))))
  })
})
