import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { foreign, own } from "../../../src/approval/rendering/Line.ts"
import { pager } from "../../../src/cli/terminal/Pager.ts"
import { plain } from "../../../src/cli/terminal/Style.ts"
import { paged, foldedLines } from "../../../src/cli/terminal/transcript/Folded.ts"
import { unifiedDiff } from "../../../src/tools/files/UnifiedDiff.ts"

const key = (input: string) => ({
  input: Option.some(input),
  key: { name: input === "\r" ? "return" : input, ctrl: false, meta: false, shift: false }
})

/** The first row and the last of a low screen after each key, and whether all was seen. */
const read = (shown: Parameters<typeof pager>[1], keys: ReadonlyArray<string>, width = 61) =>
  Effect.gen(function* () {
    const left = [...keys]
    const seen: Array<readonly [string, string]> = []
    let rows: ReadonlyArray<string> = []
    const screen = {
      style: plain,
      width: () => width,
      height: () => 8,
      page: <A, E, R>(
        use: (draw: (rows: () => ReadonlyArray<string>) => Effect.Effect<void>) => Effect.Effect<A, E, R>
      ) => use((view) => Effect.sync(() => void (rows = view())))
    }
    const all = yield* pager(screen as unknown as Parameters<typeof pager>[0], shown, (redraw) =>
      Effect.map(redraw, () => {
        seen.push([rows[0]!, rows.at(-1)!])
        return key(left.shift() ?? "q")
      })
    )
    return { all, seen }
  })

describe("the pager", () => {
  const before = Array.from({ length: 60 }, (_, index) => `line ${index}`)
  const after = before.with(9, "nine").with(29, "needle").with(49, "forty-nine")
  const diff = unifiedDiff(before.join("\n"), after.join("\n"), "a.txt").split("\n")
  const lines = [
    own("field", "diff:"),
    ...diff.filter((line) => line !== "").map((line) => foreign(line.startsWith("+n") ? "added" : "diff", line))
  ]

  it.effect("goes to the next hunk on n and back on N, and to matches once something is looked for (U12)", () =>
    Effect.gen(function* () {
      const { all, seen } = yield* read({ lines, counted: lines.length }, [
        "n",
        "n",
        "N",
        "/",
        "n",
        "e",
        "e",
        "\r",
        "g",
        "G"
      ])
      const tops = seen.map(([top]) => top)
      assert.strictEqual(tops[0], "diff:")
      assert.deepStrictEqual([tops[1], tops[2]?.trim(), tops[3]?.trim()], [" 7 │ line 6", "⋮", "7 │ line 6"])
      assert.include(tops[8], "30 │+needle")
      assert.match(seen[0]![1], /^1–7\/\d+ unread · space next {2}n next hunk {2}q close$/)
      assert.isFalse(all)
    })
  )

  it.effect("says by which keys one goes on and closes, however narrow the screen is (U12)", () =>
    Effect.gen(function* () {
      for (const width of [12, 24, 30, 40, 61, 80, 120]) {
        const { seen } = yield* read({ lines, counted: lines.length }, [" "], width)
        const last = seen.map(([, status]) => status.trimEnd())
        assert.isTrue(last[0]!.length < width, `${width} ${last[0]}`)
        assert.match(
          last[0]!,
          width < 40 ? /space next/ : /^1–7(?: of \d+ rows · not all read|\/\d+ unread) · space next {2}.*q close$/
        )
        assert.match(last[1]!, width < 40 ? /space next/ : /^8–14.*q close$/)
      }
    })
  )

  it.effect("says that all was read only once every row has been on the screen (A15)", () =>
    Effect.gen(function* () {
      assert.isFalse((yield* read({ lines, counted: lines.length }, ["G"])).all)
      assert.isTrue(
        (yield* read(
          { lines, counted: lines.length },
          Array.from({ length: 6 }, () => " ")
        )).all
      )
    })
  )

  it.effect("shows the latest of what was folded first (U12)", () =>
    Effect.gen(function* () {
      const blocks = ["one", "two"].map((title) => ({ title, lines: foldedLines(`${title} in full`) }))
      const { seen } = yield* read(paged(blocks), [])
      assert.strictEqual(seen[0]?.[0], "two")
    })
  )
})
