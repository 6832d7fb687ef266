import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { stripVTControlCharacters } from "node:util"
import { ApprovalPolicy, modes } from "../../../src/approval/ApprovalPolicy.ts"
import { columns } from "../../../src/cli/terminal/Layout.ts"
import { type Standing, statusLine } from "../../../src/cli/terminal/StatusLine.ts"
import { coloured, plain } from "../../../src/cli/terminal/Style.ts"

const busy: Standing = {
  mode: "ask",
  profile: "gpt-5",
  branch: { name: "main", dirty: true },
  sandbox: "sandbox off",
  context: { tokens: 68_000, window: 200_000 },
  workers: 2,
  tasks: 1
}

const line = (standing: Partial<Standing>, width: number) => statusLine({ ...busy, ...standing }, width, plain)

describe("the status line", () => {
  it.each([
    [20, " ASK · gpt-5"],
    [40, " ASK · gpt-5 · main* · sandbox off"],
    [60, " ASK · gpt-5 · main* · sandbox off · ctx 34% · 2 workers"],
    [80, " ASK · gpt-5 · main* · sandbox off · ctx 34% · 2 workers · 1 task · esc stops"],
    [120, " ASK · gpt-5 · main* · sandbox off · ctx 34% · 2 workers · 1 task · esc stops"]
  ])("at %i columns drops from the right (U12)", (width, expected) => {
    assert.strictEqual(line({}, width), expected)
  })

  it("shows the money after the context, a mark where a price is unknown, and nothing where nothing was spent (U12, C1)", () => {
    const cost = { amount: 123_000_000, unpriced: false }
    assert.strictEqual(
      line({ cost }, 100),
      " ASK · gpt-5 · main* · sandbox off · ctx 34% · $0.12 · 2 workers · 1 task · esc stops"
    )
    assert.strictEqual(line({ cost }, 57), " ASK · gpt-5 · main* · sandbox off · ctx 34% · $0.12")
    assert.strictEqual(line({ cost }, 50), " ASK · gpt-5 · main* · sandbox off · ctx 34%")
    assert.include(line({ cost: { amount: 4_000_000, unpriced: true } }, 120), " · $0.0040+? · ")
    assert.include(line({ cost: { amount: 0, unpriced: true } }, 120), " · $? · ")
    assert.strictEqual(line({ cost: { amount: 0, unpriced: false } }, 80), line({}, 80))
  })

  it("leaves out what is not known or not there (U12)", () => {
    const idle = { branch: undefined, context: undefined, sandbox: undefined, workers: 0, tasks: 0 }
    assert.strictEqual(line(idle, 80), " ASK · gpt-5")
    assert.include(line({ context: { tokens: 12_345 } }, 120), "ctx 12k")
    assert.include(line({ workers: 1, branch: { name: "fix", dirty: false } }, 120), "fix · ")
  })

  it("shows the mode in its colour, and white on red where every call runs (U13)", () => {
    const of = (mode: ApprovalPolicy) => statusLine({ ...busy, mode }, 80, coloured)
    assert.include(of("allow"), "\u001b[41m\u001b[97m\u001b[1mALLOW ALL\u001b[22m\u001b[39m\u001b[49m")
    assert.include(of("edits"), "\u001b[33mEDITS\u001b[39m")
    assert.include(of("sandboxed"), "\u001b[33mSANDBOXED\u001b[39m")
    for (const mode of ["ask", "plan"] as const) assert.include(of(mode), `\u001b[1m${modes[mode].mark}\u001b[22m`)
  })

  it("never loses the mode, breaks no row and lets no escape through, whatever is in it (U12, U13, A9)", () => {
    const text = FastCheck.oneof(
      FastCheck.string({ unit: "grapheme" }),
      FastCheck.constantFrom("\u001b[2J", "日本", "a\nb")
    )
    FastCheck.assert(
      FastCheck.property(
        FastCheck.record({
          mode: FastCheck.constantFrom(...ApprovalPolicy.literals),
          profile: text,
          branch: FastCheck.option(FastCheck.record({ name: text, dirty: FastCheck.boolean() }), { nil: undefined }),
          sandbox: FastCheck.option(text, { nil: undefined }),
          context: FastCheck.option(
            FastCheck.record({
              tokens: FastCheck.nat(),
              window: FastCheck.option(FastCheck.nat(), { nil: undefined })
            }),
            { nil: undefined }
          ),
          workers: FastCheck.nat(200),
          tasks: FastCheck.nat(200)
        }),
        FastCheck.integer({ min: 12, max: 160 }),
        (standing, width) => {
          const row = statusLine(standing, width, plain)
          assert.isBelow(columns(row), width)
          assert.isTrue(row.startsWith(` ${modes[standing.mode].mark}`))
          assert.strictEqual(stripVTControlCharacters(row), row)
          assert.notInclude(row, "\n")
        }
      )
    )
  })
})
