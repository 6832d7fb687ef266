// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "../command.ts"
import { sessionsOf } from "../stored.ts"
import { probes } from "../terminal/TerminalProbe.ts"

const escape = "\u001b"

describe("going back", () => {
  let at: Place
  beforeEach(() => {
    at = place()
    scripted(at, [
      { when: "paint", steps: [{ call: { name: "write_file", arguments: { path: "a.txt", content: "painted\n" } } }] },
      { repeat: true, steps: [{ say: "Fine." }] }
    ])
    fs.writeFileSync(path.join(at.work, "a.txt"), "bare\n")
  })
  afterEach(() => at.remove())
  const { prompt } = probes(() => at)
  const file = () => fs.readFileSync(path.join(at.work, "a.txt"), "utf8")
  it("takes two Escapes at an empty line, shows the diff, asks, and puts the files back (U7, K6)", async () => {
    const terminal = await prompt(["--mode", "edits"])
    terminal.press("paint the barn\r")
    await terminal.seen(/Wrote a\.txt[^]*Fine\.[^]*1 call/)
    assert.strictEqual(file(), "painted\n")
    terminal.press(`${escape}${escape}`)
    await terminal.seen(/Rewind to before which prompt\?[^]*❯ +1 .*paint the barn/)
    // What is typed blindly behind it confirms nothing.
    terminal.press("\ryes, fix it\r")
    await terminal.seen(/restore a\.txt[^]*-painted[^]*\+bare[^]*not those by commands[^]*y yes · n no/)
    assert.strictEqual(file(), "painted\n")
    terminal.press("y")
    await terminal.seen(/rewound: 1 file put back[^]*› paint the barn$/m)
    assert.strictEqual(file(), "bare\n")
    assert.notInclude(terminal.screen(), "restore a.txt")
    assert.notMatch(terminal.screen(), /ctx/)
    terminal.press("\u0015/title the bare barn\r")
    await terminal.seen("title: the bare barn")
    terminal.press("/exit\r")
    assert.strictEqual(await terminal.ended, 0)
    assert.strictEqual(sessionsOf(at)[0]?.title, "the bare barn")
  })

  it("says nothing of what it would take back where it is refused (K6)", async () => {
    const lines = ["run", "--input-format", "jsonl", "--output-format", "jsonl"]
    await tollgate(at, lines, `${JSON.stringify({ _tag: "SubmitPrompt", prompt: "paint the barn" })}\n`)
    const [{ id } = { id: "" }] = sessionsOf(at)
    const refused = await tollgate(at, ["sessions", "rewind", id, "--to", "3", "--yes"])
    assert.strictEqual(refused.code, 1)
    assert.include(refused.stderr, "has an approval request that waits")
    assert.strictEqual(refused.stdout, "")
  })

  it("is done from outside as well, and deleting needs a person or --yes (K6)", async () => {
    await tollgate(at, ["run", "--dangerously-allow-all", "paint the barn"])
    const [{ id } = { id: "" }] = sessionsOf(at)
    const dry = await tollgate(at, ["sessions", "rewind", id, "--to", "3", "--dry-run"])
    assert.match(dry.stdout, /restore a\.txt/)
    assert.strictEqual(file(), "painted\n")
    assert.strictEqual((await tollgate(at, ["sessions", "rewind", id, "--to", "3"])).code, 3)
    fs.appendFileSync(path.join(at.work, "a.txt"), "by hand\n")
    const done = await tollgate(at, ["sessions", "rewind", id, "--to", "3", "--yes"])
    assert.match(done.stdout, /left as it is: a\.txt · somebody else changed it/)
    assert.strictEqual(file(), "painted\nby hand\n")
    assert.strictEqual((await tollgate(at, ["sessions", "title", id, "the", "barn"])).code, 0)
    for (const _ of [1, 2]) assert.strictEqual((await tollgate(at, ["sessions", "fork", id, "--at", "3"])).code, 0)
    const [copy, ...others] = sessionsOf(at).toSorted((one, other) => one.title.localeCompare(other.title))
    assert.deepStrictEqual(
      [copy, ...others].map((one) => one?.title),
      ["paint the barn (fork 2)", "paint the barn (fork)", "the barn"]
    )
    assert.strictEqual((await tollgate(at, ["sessions", "delete", copy?.id ?? "", "--yes"])).code, 0)
    const unclear = await tollgate(at, ["sessions", "rewind", id])
    assert.deepStrictEqual([unclear.code, unclear.stderr.split("\n")[0]], [2, "tollgate: --to is missing"])
    const lost = await tollgate(at, ["sessions", "delete", id])
    assert.match(lost.stderr, /No terminal to confirm in\. Repeat with --yes\./)
    const age = await tollgate(at, ["sessions", "prune", "--older-than", "old", "--yes"])
    assert.match(age.stderr, /--older-than takes how long ago/)
    assert.strictEqual((await tollgate(at, ["sessions", "prune", "--larger-than", "1kB"])).code, 3)
    assert.match(
      (await tollgate(at, ["sessions", "prune", "--older-than", "1d", "--yes"])).stdout,
      /No session to delete/
    )
    assert.strictEqual((await tollgate(at, ["sessions", "delete", id, "--yes"])).code, 0)
    assert.strictEqual(sessionsOf(at).length, 1)
    const kept = path.join(at.env["TOLLGATE_HOME"]!, "checkpoints")
    assert.deepStrictEqual(fs.readdirSync(kept).length, 1)
    assert.match((await tollgate(at, ["approvals", "audit", "--verify"])).stdout, /intact/)
  })
})
