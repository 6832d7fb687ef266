// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "./command.ts"

describe("tollgate replay of what is no recording", () => {
  let at: Place
  let lines: ReadonlyArray<string>
  beforeAll(async () => {
    const recorded = place()
    scripted(recorded, [{ steps: [{ say: "Done." }] }])
    lines = (await tollgate(recorded, ["run", "--jsonl", "go"])).stdout.trimEnd().split("\n")
    recorded.remove()
  })
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  const play = async (text: string | Buffer) => {
    const file = path.join(at.home, "recording.jsonl")
    fs.writeFileSync(file, text)
    return { file, ...(await tollgate(at, ["replay", file])) }
  }

  it("shows what is right before the line that is not, and says in a sentence which and why (R6)", async () => {
    const before = lines.slice(0, 3)
    const fourth = JSON.parse(lines[3]!) as object
    const bad: ReadonlyArray<readonly [string, string]> = [
      [lines[3]!.slice(0, 40), "not JSON, or was cut off"],
      [JSON.stringify({ ...fourth, version: 2 }), "schema version 2, this version of Tollgate knows 1; upgrade"],
      [JSON.stringify({ ...fourth, seq: "4" }), 'seq: expected a number, is "4"'],
      ['{"a":1}', "the line is not an event"],
      ["\u0000\u0001binary", "not JSON"]
    ]
    for (const [line, said] of bad) {
      const { code, file, stderr, stdout } = await play([...before, line].join("\n"))
      assert.strictEqual(code, 1)
      assert.include(stdout, "› go")
      assert.include(stderr, `${file}:4: `)
      assert.include(stderr, said)
      assert.notMatch(stderr, /readonly|<->|undefined/)
      assert.isBelow(stderr.length, 400)
    }
  })

  it("goes on behind an event of a later version, which it shows by its tag (R12)", async () => {
    const fourth = JSON.parse(lines[3]!) as object
    const unknown = JSON.stringify({ ...fourth, event: { _tag: "NewThing", more: 1 } })
    const { code, stdout } = await play([...lines.slice(0, 3), unknown, ...lines.slice(3)].join("\n"))
    assert.strictEqual(code, 0)
    assert.include(stdout, "NewThing: an event of a later version of Tollgate")
  })

  it("refuses what is none from its beginning, however long it is", async () => {
    const none = await play("")
    assert.deepStrictEqual([none.code, none.stdout], [1, ""])
    assert.include(none.stderr, "it has no events")
    const program = await tollgate(at, ["replay", process.execPath])
    assert.include(program.stderr, ":1: this is not a recording")
    const endless = await tollgate(at, ["replay", "/dev/zero"])
    assert.deepStrictEqual([endless.code, endless.stdout], [1, ""])
    assert.include(endless.stderr, "/dev/zero:1: ")
    const directory = await tollgate(at, ["replay", at.home])
    assert.include(directory.stderr, "cannot be read: it is a directory. tollgate events SESSION --jsonl > FILE")
    const missing = await tollgate(at, ["replay", "none"])
    assert.include(missing.stderr, "cannot be read: it does not exist.")
    assert.strictEqual(missing.code, 1)
  })

  it("holds no more of a line than an event can have", async () => {
    const { code, stderr } = await play(Buffer.concat([Buffer.from('{"x":"'), Buffer.alloc(80 * 1024 * 1024, "x")]))
    assert.strictEqual(code, 1)
    assert.match(stderr, /:1: the line is longer than \d+ characters/)
  })

  it("shows that an answer is not whole, as the run did", async () => {
    const turns = [
      [[], "the model gave an empty answer"],
      [[{ finish: "length" }], "ran out of output tokens: its answer is empty"],
      [[{ say: "half" }, { finish: "length" }], "ran out of output tokens: its answer is cut off"],
      [[{ finish: "content_filter" }], "content filter withheld the answer"]
    ] as const
    scripted(
      at,
      turns.map(([steps]) => ({ steps }))
    )
    const prompts = `${JSON.stringify({ _tag: "SubmitPrompt", prompt: "go" })}\n`.repeat(turns.length)
    const json = await tollgate(at, ["run", "--input-format", "jsonl", "--output-format", "jsonl"], prompts)
    const { stdout } = await play(json.stdout)
    for (const [, said] of turns) assert.include(stdout, said)
    for (const [steps, said] of [turns[0], turns[2]]) {
      scripted(at, [{ steps }])
      const run = await tollgate(at, ["run", "go"])
      assert.include(run.stderr, said)
      assert.strictEqual(run.code, 0)
    }
  })
})
