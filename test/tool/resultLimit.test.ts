import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FileSystem from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Layer } from "effect"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Capture from "../../src/process/Capture.ts"
import { excerpt } from "../../src/tool/Excerpt.ts"
import { limitResult } from "../../src/tool/limitResult.ts"
import { Ids } from "../../src/tool/Ids.ts"
import { directoryOf, Spill, SpillFailed } from "../../src/tool/Spill.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Echo, request } from "./support.ts"

const graphemes = (text: string) =>
  [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)].map(({ segment }) => segment)

const hard = ["a", "\n", "é", "e\u0301", "漢", "👍🏽", "👩‍👩‍👧‍👦", "🇨🇭", "क्षि", "\r\n", "한"]
const texts = FastCheck.array(FastCheck.constantFrom(...hard), { maxLength: 120 }).map((parts) => parts.join(""))

describe("excerpt", () => {
  it.effect.prop(
    "keeps both ends whole graphemes within the limit, and counts exactly what is missing (T10)",
    [texts, FastCheck.integer({ min: 60, max: 300 })],
    ([text, limit]) =>
      Effect.sync(() => {
        const bytes = Buffer.byteLength(text)
        const cut = excerpt(text, limit)
        if (cut === undefined) return assert.isAtMost(bytes, limit)
        const { droppedBytes, droppedLines, head, tail, totalBytes } = cut
        assert.strictEqual(totalBytes, bytes)
        assert.isAtMost(Buffer.byteLength(head) + Buffer.byteLength(tail), limit)
        assert.isTrue(text.startsWith(head) && text.endsWith(tail))
        const dropped = text.slice(head.length, text.length - tail.length)
        assert.strictEqual(droppedBytes, Buffer.byteLength(dropped))
        assert.strictEqual(droppedLines, dropped.split("\n").length - 1)
        const all = graphemes(text)
        assert.deepStrictEqual([...graphemes(head), ...graphemes(dropped), ...graphemes(tail)], all)
        assert.isAbove(head.length + tail.length, 0)
      })
  )

  it("cuts between code points where one grapheme has no end, and says nothing of what fits (T10)", () => {
    const endless = `e${"\u0301".repeat(5000)}`
    const cut = excerpt(endless, 1000)
    assert.isAbove(cut?.head.length ?? 0, 300)
    assert.isAbove(cut?.tail.length ?? 0, 100)
    assert.isUndefined(excerpt("x".repeat(100), 100))
    assert.isUndefined(excerpt("short", 1000))
  })
})

const sealed = (tool: typeof Echo, spill?: Spill["Type"]) =>
  Toolset.make([tool], {
    middleware: DefaultStack.make({ resultLimit: { ...(spill && { spill }) } }),
    gate: Gate.unguarded("unit test")
  })

describe("limitResult", () => {
  const limited = { ...Echo, resultLimit: 60 }
  const long = `${"begin ".repeat(20)}\n${"end ".repeat(20)}`

  it.effect("does not call the whole what is only the two ends of an output (T10)", () =>
    Effect.gen(function* () {
      const capture = Capture.make(400)
      capture.append(Capture.piece("line\n".repeat(1000)))
      const text = Capture.render(capture.result())
      const cut = yield* sealed(limited, { keep: () => Effect.succeed("/spill/echo.txt") })
      const result = yield* cut.call(request("echo", { text }))
      assert.include(result.text, "left out; what was kept of the output is in /spill/echo.txt")
      assert.notInclude(result.text, "the whole")
    })
  )

  it.effect("is opt-in, keeps the value, and says how much was cut and where the whole is (T10)", () =>
    Effect.gen(function* () {
      const whole = yield* sealed(Echo)
      assert.strictEqual((yield* whole.call(request("echo", { text: long }))).text, long)
      const kept: Array<unknown> = []
      const spill = { keep: (spilled: unknown) => Effect.sync(() => (kept.push(spilled), "/spill/echo.txt")) }
      const cut = yield* sealed(limited, spill)
      const result = yield* cut.call(request("echo", { text: long }))
      assert.strictEqual(
        result.text,
        `${"begin ".repeat(6)}begi\n[… 141 of 201 bytes (1 lines) left out; the whole is in /spill/echo.txt, read it with read_file …]\n${"end ".repeat(5)}`
      )
      assert.strictEqual(result.value, long)
      assert.deepStrictEqual(kept, [{ session: "session_1", tool: "echo", text: long }])
      assert.strictEqual((yield* cut.call(request("echo", { text: "short" }))).text, "short")
      assert.strictEqual(kept.length, 1)
    })
  )

  it.effect("cuts without a place for the whole, or when it cannot be kept, and says so by silence (T10)", () =>
    Effect.gen(function* () {
      const nowhere = yield* sealed(limited)
      const text = (yield* nowhere.call(request("echo", { text: "x".repeat(200) }))).text
      assert.include(text, "140 of 200 bytes left out …]")
      const full = { keep: () => Effect.fail(new SpillFailed({ path: "/full", cause: new Error("ENOSPC") })) }
      const failing = yield* sealed(limited, full)
      assert.include((yield* failing.call(request("echo", { text: long }))).text, "(1 lines) left out …]")
    })
  )

  it("refuses by name a limit that is none, which would cut everything or nothing (T10)", () => {
    for (const bytes of [Number.NaN, -1, 1.5])
      assert.throws(() => DefaultStack.make({ resultLimit: { bytes } }).for(Echo), /^resultLimit: bytes must be/)
    for (const bytes of [0, Infinity])
      assert.doesNotThrow(() => DefaultStack.make({ resultLimit: { bytes } }).for(Echo))
  })

  it.effect("leaves alone what is not a result of a tool (T10)", () =>
    Effect.gen(function* () {
      const run = limitResult(1)
      assert.strictEqual(yield* run(request("echo", {}) as never, () => Effect.succeed("whatever")), "whatever")
    })
  )
})

describe("Spill", () => {
  const run = <E>(use: (directory: string) => Effect.Effect<void, E, NodeContext.NodeContext>) =>
    Effect.flatMap(FileSystem.FileSystem, (fs) =>
      Effect.flatMap(fs.makeTempDirectoryScoped(), (directory) => use(`${directory}/spill`))
    ).pipe(Effect.scoped, Effect.provide([NodeContext.layer, Ids.layerSequential]))

  const spilled = (text: string, tool = "run_shell") => ({ session: "s", tool, text })

  it.live("writes the whole where only its owner can read it, under a name without surprises (T10)", () =>
    run((directory) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const spill = yield* Spill
        const path = yield* spill.keep(spilled("whole", "../../etc/passwd"))
        assert.strictEqual(path, `${directoryOf(directory, "s")}/etcpasswd_1.result.txt`)
        assert.strictEqual(yield* fs.readFileString(path), "whole")
        assert.strictEqual((yield* fs.stat(path)).mode & 0o777, 0o600)
        assert.strictEqual((yield* fs.stat(directory)).mode & 0o777, 0o700)
      }).pipe(Effect.provide(Spill.layerDirectory({ directory })))
    )
  )

  it.live("keeps nothing of a secret (T10)", () =>
    run((directory) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* (yield* Spill).keep(spilled("key=hush end"))
        assert.strictEqual(yield* fs.readFileString(path), "key=*** end")
      }).pipe(Effect.provide(Spill.layerDirectory({ directory, redact: (text) => text.replaceAll("hush", "***") })))
    )
  )

  it.live("lets the oldest files go beyond its limits, those of earlier runs first (T10)", () =>
    run((directory) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const keep = (text: string, tool: string) => Effect.flatMap(Spill, (spill) => spill.keep(spilled(text, tool)))
        const layer = Spill.layerDirectory({ directory, maxFiles: 2, maxBytes: 100 })
        yield* Effect.provide(keep("one", "a"), layer)
        yield* Effect.provide(Effect.zipRight(keep("two", "b"), keep("three", "c")), layer)
        assert.deepStrictEqual((yield* fs.readDirectory(directoryOf(directory, "s"))).sort(), [
          "b_1.result.txt",
          "c_1.result.txt"
        ])
        yield* Effect.provide(keep("x".repeat(200), "d"), layer)
        assert.deepStrictEqual(yield* fs.readDirectory(directoryOf(directory, "s")), ["d_1.result.txt"])
      })
    )
  )

  it.live("holds its limits beside a file that it cannot look at (T10)", () =>
    run((directory) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const keep = (text: string) => Effect.flatMap(Spill, (spill) => spill.keep(spilled(text)))
        const layer = Spill.layerDirectory({ directory, maxFiles: 1 })
        const first = yield* Effect.provide(keep("one"), layer)
        yield* fs.symlink(`${directory}/nowhere`, `${directory}/gone.result.txt`)
        const last = yield* Effect.provide(keep("two"), layer)
        assert.deepStrictEqual([yield* fs.exists(first), yield* fs.exists(last)], [false, true])
      })
    )
  )

  it.live("fails where it cannot write (T10)", () =>
    run((directory) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        yield* fs.writeFileString(directory, "a file")
        const error = yield* Effect.flip(Effect.flatMap(Spill, (spill) => spill.keep(spilled("x"))))
        assert.include(error.message, "could not be written to")
      }).pipe(Effect.provide(Layer.fresh(Spill.layerDirectory({ directory }))))
    )
  )
})
