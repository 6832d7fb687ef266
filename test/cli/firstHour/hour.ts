// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, beforeEach, expect } from "@effect/vitest"
import { type Place, place } from "../command.ts"
import { type Probe, probes } from "../terminal/TerminalProbe.ts"

/** The terminals that most people have. */
export const sizes: ReadonlyArray<Size> = [
  [80, 24],
  [120, 40]
]
export type Size = readonly [columns: number, rows: number]

export const escape = "\u001b"
export const ctrlC = "\u0003"
export const ctrlD = "\u0004"

/** Text without what differs from run to run; what is as long each time keeps its length, for it decides where rows break. */
const masked = (text: string): string =>
  text
    .replaceAll(/(?<=tollgate-cli-)\w{6}/g, "XXXXXX")
    .replaceAll(/(?<=session_|request_|tollgate-tour-)[0-9A-Za-z]+/g, (id) => "X".repeat(id.length))
    .replaceAll(/\d+(?:\.\d+)?(?: ?|\n *)(?:ms|s)\b/g, "TIME")
    // What stands on the right moves with the length of the time.
    .replaceAll(/ {2,}(?=(?:\S.*)?\bTIME$)/gm, "  ")
    .replaceAll(/(?<=127\.0\.0\.1:)\d+/g, "PORT")
    .replaceAll(/(?<=process |kill )\d+/g, "PID")
    .replaceAll(/(?<=digest\s+)[0-9a-f]{12}/g, "X".repeat(12))
    .replaceAll(/^[0-9a-f]{8}(?= {2}session_)/gm, "X".repeat(8))
    .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "*")
    .replaceAll(/node \S*dist\/tollgate\.cjs/g, "tollgate")
    .replaceAll(/(?<=Node |SQLite )v?[\d.]+/g, "VERSION")

export interface Hour {
  readonly at: () => Place
  /** Opens a terminal of that size where no sandbox confines commands. */
  readonly open: (args: ReadonlyArray<string>, size: Size, env?: Readonly<Record<string, string>>) => Promise<Probe>
}

/** A new user's machine for every test. */
export const hour = (prepare: (at: Place) => void = () => {}): Hour => {
  let at: Place
  beforeEach(() => {
    at = place("/tmp")
    prepare(at)
  })
  afterEach(() => at.remove())
  const { open } = probes(() => at)
  return {
    at: () => at,
    open: (args, [columns, rows], env = {}) =>
      open(args, { columns, rows, env: { TOLLGATE_SANDBOX_TARGET: "none", ...env } })
  }
}

/** Compares what a terminal shows, what has scrolled away included, with what is kept of it. */
export const matches = (terminal: Probe, name: string, [columns, rows]: Size): Promise<void> =>
  expect(`${masked(terminal.lines().join("\n"))}\n`).toMatchFileSnapshot(
    `../../fixtures/screens/${name}-${columns}x${rows}.txt`
  )
