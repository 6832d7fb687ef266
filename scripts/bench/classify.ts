import * as fs from "node:fs"
import * as path from "node:path"
import { parse } from "unbash"
import { judgeShell } from "../../test/corpus/ShellCase.ts"

interface Row {
  readonly input: { readonly command: string }
}

const root = process.cwd()
const fixtures = (name: string): ReadonlyArray<string> =>
  (JSON.parse(fs.readFileSync(path.join(root, "test/fixtures", name), "utf8")) as ReadonlyArray<Row>).map(
    ({ input }) => input.command
  )

const size = 4096
const filled = (piece: string, before = "", after = ""): string =>
  before + piece.repeat(Math.floor((size - before.length - after.length) / piece.length)) + after

/** Texts of 4 KiB that take as long as any that we know. */
const hostile = [
  filled("a "),
  filled("a;"),
  filled("("),
  filled("$("),
  filled("'"),
  filled("{a,b}"),
  filled("*/"),
  filled("./a/* ", "cat "),
  filled("x/y ", "cat "),
  filled("|cat ", "cat a"),
  filled("&&cat a", "cat a"),
  filled("-e x ", "grep ", "a"),
  filled("$((1+", "echo "),
  filled("<<A ", "cat "),
  filled("\\\\\\n", "cat a"),
  filled("env ", "", "ls")
]

/** The least of several runs, in microseconds. */
const least = (run: () => unknown): number => {
  let best = Infinity
  for (let round = 0; round < 20; round++) {
    const from = process.hrtime.bigint()
    run()
    best = Math.min(best, Number(process.hrtime.bigint() - from) / 1000)
  }
  return best
}

const percentile = (values: ReadonlyArray<number>, part: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0

const place = { cwd: "/w", roots: ["/w"], home: "/home/u", trusted: false, hardenedGit: false }

const texts = (): ReadonlyArray<string> =>
  [...fixtures("corpora/c_shell.json"), ...fixtures("siblings/shell.json"), ...hostile].filter(
    (text) => Buffer.byteLength(text) <= size
  )

/** Microseconds: the 99th percentile over all texts of what each costs, by the letter of its paths. */
export const classified = (): number =>
  percentile(
    texts().map((command) => least(() => judgeShell({ command, context: place }))),
    0.99
  )

const parsed = (text: string): void => {
  try {
    parse(text)
  } catch {
    // What cannot be parsed costs the parser nothing more.
  }
}

/** The same of the parser alone. */
export const parsedAlone = (): number =>
  percentile(
    texts().map((text) => least(() => parsed(text))),
    0.99
  )
