import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Layer, Option, TestClock } from "effect"
import { PassThrough } from "node:stream"
import { stripVTControlCharacters } from "node:util"
import { Composer } from "../../../src/cli/terminal/Composer.ts"
import { Interruptions } from "../../../src/cli/terminal/Interruptions.ts"
import { keysOf, Keyboard } from "../../../src/cli/terminal/Keyboard.ts"
import { columns } from "../../../src/cli/terminal/Layout.ts"
import { Region } from "../../../src/cli/terminal/Region.ts"
import { Screen } from "../../../src/cli/terminal/Screen.ts"
import { fakeKeyboard, fakeScreen } from "./fakeScreen.ts"

const escape = "\u001b"
const paste = (text: string) => `${escape}[200~${text}${escape}[201~`

/** What a terminal sends for some key, a paste or a piece of text; no escape by itself, which a clock tells from a sequence. */
const piece = FastCheck.oneof(
  FastCheck.string({ unit: "grapheme", minLength: 1, maxLength: 4 }),
  FastCheck.constantFrom(..."abcdefghijklmnopqrstuvwxyz /@#!\\"),
  FastCheck.constantFrom(
    ..."\u0001\u0002\u0005\u0006\u0007\u000a\u000b\u000c\u000e\u000f\u0010\u0012\u0014\u0015\u0017\u0019\u001f\u007f"
  ),
  FastCheck.constantFrom("\t", "\r", `${escape}\r`, `${escape}b`, `${escape}f`, `${escape}d`, `${escape}\u007f`),
  FastCheck.constantFrom(..."ABCDHFZ").map((letter) => `${escape}[${letter}`),
  FastCheck.constantFrom("3~", "5~", "6~", "1;5C", "1;5D", "13;2u", "97;5u", "117;5u", "57441;2u").map(
    (code) => `${escape}[${code}`
  ),
  FastCheck.string({ maxLength: 40 }).map((text) => paste(text.replaceAll(escape, ""))),
  FastCheck.constant(paste("row\n".repeat(30)))
)
const presses = FastCheck.array(piece, { maxLength: 40 })

/** What the prompt shows and sends while these keys arrive, a few bytes at a time. */
const typing = (keys: ReadonlyArray<string>, pieces: number, widths: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const { resize, rows, screen } = fakeScreen()
    const { keyboard, press } = fakeKeyboard()
    const layer = Composer.layer.pipe(
      Layer.provideMerge(Region.layer),
      Layer.provide([Layer.succeed(Screen, screen), Layer.succeed(Keyboard, keyboard), Interruptions.layer])
    )
    const composer = yield* Effect.flatMap(Layer.build(layer), (context) => Effect.provide(Composer, context))
    const sent: Array<string> = []
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.flatMap(composer.next("› "), (line) =>
          Effect.sync(() => void sent.push(Option.getOrElse(line, () => "(end)")))
        )
      )
    )
    const stdin = new PassThrough()
    const decoded = yield* keysOf(stdin)
    const bytes = Buffer.from(keys.join(""))
    for (let at = 0; at < bytes.length; at += pieces) stdin.emit("data", bytes.subarray(at, at + pieces))
    const seen: Array<string> = []
    let step = 0
    while (Option.getOrElse(yield* decoded.size, () => 0) > 0) {
      const before = composer.editor.text
      const count = sent.length
      const key = yield* decoded.take
      yield* press(key)
      yield* Effect.yieldNow()
      const width = widths[step++ % widths.length] ?? 80
      resize(width)
      for (const row of rows()) assert.isAtMost(columns(stripVTControlCharacters(row)), width)
      assert.isAtMost(rows().length, 12)
      if (sent.length > count)
        assert.isTrue(sent.at(-1) === before || sent.at(-1) === "(end)", JSON.stringify([before, sent]))
      seen.push(rows().join("\n"))
    }
    return { seen, sent, text: composer.editor.text }
  }).pipe(Effect.scoped)

const width = FastCheck.integer({ min: 20, max: 120 })

describe("any keys", () => {
  it("are typed, moved and sent as they stand on a screen that keeps its width, in whatever pieces they come (U12)", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(
        presses,
        FastCheck.integer({ min: 1, max: 7 }),
        FastCheck.array(width, { minLength: 1, maxLength: 4 }),
        (keys, pieces, widths) =>
          Effect.gen(function* () {
            const whole = yield* typing(keys, 1_000_000, widths)
            assert.deepStrictEqual(yield* typing(keys, pieces, widths), whole)
          }).pipe(Effect.runPromise)
      ),
      { numRuns: 100 }
    ))

  it.scoped("are one paste where many lines come at once from a terminal that marks none (U12)", () =>
    Effect.gen(function* () {
      const stdin = new PassThrough()
      const keys = yield* keysOf(stdin)
      const lines = Array.from({ length: 40 }, (_, line) => `line ${line}\r`).join("")
      stdin.emit("data", Buffer.from(lines.slice(0, 200)))
      stdin.emit("data", Buffer.from(lines.slice(200)))
      yield* Effect.yieldNow()
      yield* TestClock.adjust("50 millis")
      stdin.emit("data", Buffer.from("x\r"))
      const [found] = yield* keys.takeN(3)
      assert.deepStrictEqual(
        [...found].map(({ input, key }) => [key.name, Option.getOrElse(input, () => "")]),
        [
          ["paste", lines],
          ["x", "x"],
          ["return", "\r"]
        ]
      )
    })
  )

  it("are no reports of the terminal, in whatever pieces these come; a paste keeps what looks like one (U12)", () => {
    const reports = [
      `${escape}]11;rgb:0000/0000/0000\u0007`,
      `${escape}]10;rgb:ffff/ffff/ffff${escape}\\`,
      `${escape}P>|tmux 3.5a${escape}\\`,
      `${escape}[?62;22c`,
      `${escape}[>41;350;0c`,
      `${escape}[24;80R`,
      `${escape}[0n`,
      `${escape}[?2026;2$y`,
      `${escape}[?5u`,
      `${escape}[8;24;80t`
    ]
    const pasted = `${escape}]11;rgb:0/0/0 [24;80R`
    return Effect.runPromise(
      Effect.gen(function* () {
        for (const report of reports) {
          // A piece that ends with Escape is that key, and the first key comes before anybody reads.
          for (const pieces of [4, 5, 7, 1_000_000]) {
            const { text } = yield* typing(["x", "a", report, "b"], pieces, [80])
            assert.strictEqual(text, "ab", JSON.stringify([report, pieces]))
          }
        }
        assert.include((yield* typing(["x", paste(pasted)], 7, [80])).text, "]11;rgb:0/0/0 [24;80R")
      })
    )
  })

  it("keep the width where nothing is asked for, too (U12)", () =>
    Effect.runPromise(typing([paste("row\n".repeat(30)), "\r"], 1_000_000, [20])))

  it("are the same for forty people at once as for one (U12)", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(FastCheck.array(presses, { minLength: 40, maxLength: 40 }), (all) =>
        Effect.gen(function* () {
          const one = (keys: ReadonlyArray<string>) => typing(keys, 5, [80, 40])
          const alone = yield* Effect.forEach(all, one)
          assert.deepStrictEqual(yield* Effect.forEach(all, one, { concurrency: "unbounded" }), alone)
        }).pipe(Effect.runPromise)
      ),
      { numRuns: 3 }
    ))
})
