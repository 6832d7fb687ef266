// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted } from "../command.ts"
import { type Probe, probes } from "./TerminalProbe.ts"

const escape = "\u001b"
const call = (name: string, given: object) => ({ call: { name, arguments: given } })
const ticking = (until: string) => call("run_shell", { command: `sh tick ${until}` })
/** Thirty rows, and then one that is written again and again until there is a file. */
const tick = `yes tick | head -30; while [ ! -e "$1" ]; do printf "tick\\r"; sleep 0.05; done\n`

interface Size {
  readonly columns: number
  readonly rows: number
}
// With room for what a narrower screen breaks the live rows into: what scrolls away stays.
const size: FastCheck.Arbitrary<Size> = FastCheck.record({
  columns: FastCheck.integer({ min: 40, max: 160 }),
  rows: FastCheck.integer({ min: 36, max: 60 })
})
/** Sizes that follow each other without a pause, as while a window is drawn larger. */
const bursts = FastCheck.array(FastCheck.array(size, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 5 })

/** Where the person is while the size changes. */
interface State {
  readonly name: string
  /** It draws again and again by itself. */
  readonly moves?: boolean
  readonly enter: (terminal: Probe, at: Place) => Promise<unknown>
  readonly leave: (terminal: Probe, at: Place) => Promise<unknown>
}

const touch = (at: Place, name: string) => fs.writeFileSync(path.join(at.work, name), "")
/** What is typed, until it is gone. */
const discard = async (terminal: Probe) => {
  terminal.press("\u0003")
  await terminal.seen(/^› ?(?:type here.*)?$/m)
}

const unasked: ReadonlyArray<State> = [
  { name: "at the empty prompt", enter: (terminal) => terminal.idle(), leave: async () => {} },
  {
    name: "while one types several lines",
    enter: (terminal) => {
      terminal.press(`first\n${"many words ".repeat(11)}\nthe third\nand a last one\u001b[A\u001b[A`)
      return terminal.seen("and a last one")
    },
    leave: discard
  },
  {
    name: "in the palette",
    enter: (terminal) => {
      terminal.press("/")
      return terminal.seen("❯ help")
    },
    leave: discard
  },
  {
    name: "in a running stream",
    moves: true,
    enter: async (terminal) => {
      terminal.press("run it\r")
      await terminal.seen(/tick\n.*tick\n.*tick\n.*tick/)
      terminal.press("and then\rhalf a line")
      return terminal.seen("› half a line")
    },
    leave: async (terminal, at) => {
      terminal.press("\u0015\u001b[A")
      await terminal.seen("› and then")
      terminal.press("\u0015")
      touch(at, "go1")
      await terminal.idle("It ticked.")
    }
  },
  {
    name: "in the pager",
    enter: (terminal) => {
      terminal.press("\u000f")
      return terminal.seen(/q close/)
    },
    leave: (terminal) => {
      terminal.press("q")
      return terminal.idle("It ticked.")
    }
  },
  {
    name: "after the pager",
    enter: (terminal) => terminal.idle("It ticked."),
    leave: async () => {}
  },
  {
    name: "in the tree of workers",
    moves: true,
    enter: async (terminal) => {
      terminal.press("start them\r")
      return terminal.seen(/one.*run_shell[^]*two.*run_shell/)
    },
    leave: (terminal, at) => {
      touch(at, "go2")
      return terminal.idle(/start them[^]*It ticked\./)
    }
  },
  {
    name: "in /resume",
    enter: (terminal) => {
      terminal.press("/resume\r")
      return terminal.seen("type to filter")
    },
    leave: (terminal) => {
      terminal.press(escape)
      return terminal.idle(/start them[^]*It ticked\./)
    }
  }
]

const asked: ReadonlyArray<State> = [
  {
    name: "in an approval",
    enter: async (terminal) => {
      terminal.press("write it\r")
      return terminal.seen("allow?")
    },
    leave: async () => {}
  },
  {
    name: "in the details of one",
    enter: async (terminal) => {
      terminal.press("d")
      return terminal.seen(/q close/)
    },
    leave: (terminal) => {
      terminal.press("q")
      return terminal.seen("allow?")
    }
  },
  {
    name: "after the details of one",
    enter: (terminal) => terminal.seen("allow?"),
    leave: async () => {}
  },
  {
    name: "in its wider choice",
    enter: async (terminal) => {
      terminal.press("w")
      return terminal.seen("wider?")
    },
    leave: async (terminal) => {
      terminal.press("x")
      await terminal.seen("allow?")
      terminal.press("n")
      await terminal.idle("So be it.")
    }
  }
]

const turns = [
  { when: "run it", steps: [ticking("go1")] },
  {
    when: "start them",
    steps: [call("delegate", { name: "one", task: "the first" }), call("delegate", { name: "two", task: "the second" })]
  },
  { when: "the first", steps: [ticking("go2")] },
  { when: "the second", steps: [ticking("go2")] },
  { when: "write it", steps: [call("write_file", { path: "c.txt", content: `one\n${"two ".repeat(30)}\nthree\n` })] },
  { when: "tick", repeat: true, steps: [{ say: "It ticked." }] },
  { repeat: true, steps: [{ say: "So be it." }] }
]

/** Resolves once something has been drawn from now on. */
const drawn = (terminal: Probe): Promise<unknown> => {
  let before = true
  return terminal.settles(() => {
    if (!before) return
    before = false
    throw new Error("nothing was drawn")
  })
}

/** A screen from its first prompt on, without what differs from run to run. */
const told = (screen: string, at: Place): string =>
  screen
    .slice(Math.max(0, screen.search(/^›/m)))
    // Where the name of a directory breaks, both have their own characters on either side.
    .replaceAll(/\n *↳ /g, "")
    .replaceAll(at.work, "WORK")
    .replaceAll(/\b\d+(?:\.\d+)?\s?(?:ms|s)\b/g, "TIME")
    .replaceAll(/\d+ lines/g, "LINES")
    .replaceAll(/\d+ tokens/g, "TOKENS")
    .replaceAll(/session_\w+/g, "SESSION")
    .replace(/^request\b[^]*?(?=^user:)/m, "IDS\n")
    .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "*")
    // Whether a worker ends before its call is printed is a matter of time.
    .replaceAll(/^ +\S (?:one|two) done · TIME\n/gm, "")
    .replaceAll(/ +TIME$/gm, "")
    .replaceAll(/ {2,}/g, "  ")
    .replaceAll(/ +$/gm, "")

describe("a terminal whose size changes", () => {
  let places: ReadonlyArray<Place>
  beforeEach(() => {
    places = [place(), place()]
  })
  afterEach(() => places.forEach((at) => at.remove()))
  let opening = 0
  const { prompt } = probes(() => places[opening]!)

  const cases = [
    { name: "where nothing is asked", states: unasked, args: ["--dangerously-allow-all"] },
    { name: "where something is asked", states: asked, args: [] }
  ]

  it.each(cases)("looks in the end as if it had had its size from the start, $name (U12)", async ({ args, states }) => {
    const [before, after] = FastCheck.sample(size, 2) as [Size, Size]
    const open = (index: number, at: Size) => {
      opening = index
      fs.writeFileSync(path.join(places[index]!.work, "tick"), tick)
      scripted(places[index]!, turns, { sandbox: { target: "none" } })
      return prompt(args, { ...at, env: { TERM_PROGRAM: "vscode" } })
    }
    const changing = await open(0, before)
    const steady = await open(1, after)
    const changes = FastCheck.sample(bursts, states.length)
    for (const [index, { enter, leave, moves = false, name }] of states.entries()) {
      const [at, steadyAt] = places as [Place, Place]
      await enter(steady, steadyAt)
      await enter(changing, at)
      for (const burst of [...(changes[index] ?? []), [after]]) {
        // Nothing is on its way right behind a drawing.
        if (moves) await drawn(changing)
        const settled = drawn(changing)
        await Promise.all(burst.map(({ columns, rows }) => changing.resize(columns, rows)))
        await settled
      }
      await changing.settles((shown) => assert.strictEqual(told(shown, at), told(steady.screen(), steadyAt), name))
      await leave(steady, steadyAt)
      await leave(changing, at)
    }
    await changing.settles((shown) =>
      assert.strictEqual(told(shown, places[0]!), told(steady.screen(), places[1]!), "at the end")
    )
  })
})
