import { assert, describe, it } from "@effect/vitest"
import { opencode } from "../../src/hook/agent/opencode.ts"
import { patternsIn } from "../../src/hook/NamePatterns.ts"
import { queries } from "../../src/hook/Queries.ts"
import { fetchesFrom, ofServer, shell } from "../../src/hook/ToolTable.ts"
import { outcomeIn } from "./support.ts"

const length = 120_000
const of = (part: string) => part.repeat(length / part.length)

/** What a hook reads before a timer can run; most agents go on where it takes longer than they wait. */
const readings: ReadonlyArray<readonly [what: string, read: () => unknown, result: unknown]> = [
  ["a query", () => queries("sql")({ query: of("[") }, "/w"), []],
  ["addresses in prose", () => fetchesFrom("prompt")({ prompt: of("a.") }, "/w")?.[0]?.touches, undefined],
  [
    "the end of an address",
    () => fetchesFrom("prompt")({ prompt: `http://a${of(".")}b` }, "/w")?.[0]?.touches?.hosts?.[0]?.length,
    length + 9
  ],
  ["a tool of a server", () => ofServer(`mcp__${of("a__")}\n`)?.({}, "/w")?.[0]?.isUnknown, true],
  ["a patch that does not end", () => shell()({ command: "*** Begin Patch\n".repeat(length) }, "/w")?.length, 2],
  ["a filter of names", () => patternsIn(of("x ")), ["**"]],
  ["a command", () => outcomeIn("/w")(of("/(")).decision, "ask"],
  [
    "a tool of opencode",
    () => {
      const found = opencode.read({ directory: "/w", tool: `${of("_")}!`, args: {} })
      return found !== undefined && "problem" in found
    },
    true
  ]
]

describe("a long parameter of another agent", () => {
  for (const [what, read, result] of readings)
    it(`is read in the time of its length where it is ${what} (X5)`, { timeout: 5000 }, () => {
      assert.deepStrictEqual(read(), result)
    })
})
