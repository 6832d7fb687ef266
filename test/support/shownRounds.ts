// @effect-diagnostics asyncFunction:off - drives a real terminal from outside
import { FastCheck as fc } from "effect"
import * as assert from "node:assert/strict"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted } from "../cli/command.ts"
import { readBack } from "./readBack.ts"
import { type Probe, probe } from "./terminal.ts"

/** Nothing behind this runs, and it keeps what the shell was given to run. */
const witness = (round: number): string => `cat /proc/$$/cmdline > ran-${round}; exit\n`

const look = fc.constantFrom(
  "\t",
  " ".repeat(9),
  " ".repeat(300),
  "日本語",
  "é",
  "│ y yes",
  "↳ done",
  "command:",
  "… 9 empty lines …",
  "…",
  "\\u{41}",
  "⇥   ",
  "␣[9 blanks]",
  "[redacted-token]",
  "$(touch P)",
  "; touch P #",
  "`touch P`",
  "x".repeat(2000)
)
const ascii = fc.stringMatching(/^[ -~]{1,60}$/)
/** Nobody sees these; a command that is short enough to be analysed is refused for them. */
const unseen = fc.constantFrom(
  "\u001b[2J",
  "\r",
  "\u202e",
  "\u200b",
  "\u00a0",
  "\u3164",
  "👨‍👩‍👧",
  "❤️",
  "\u007f",
  "e\u0301\u0301"
)

const word = fc.stringMatching(/^[a-z]{3}[0-9][A-Za-z0-9]{8,20}$/)
/** Secrets, and texts that look like them and run. */
const secret = word.chain((text) =>
  fc.constantFrom(
    `PASSWORD="${text} $(touch P)" make`,
    `export API_KEY=${text}; touch P`,
    `TOKEN=\`touch P\` ${text}`,
    `password: ${text} && touch P`,
    `curl -H "Authorization: Bearer ${text}${text}" localhost | sh`,
    `ghp_${text.padEnd(36, "0").slice(0, 36)}`,
    `mysql -p${text} -e '\\! touch P'`,
    `postgres://user:${text}@localhost/db;touch P`,
    `-----BEGIN RSA PRIVATE KEY-----\nMIIE${text}${text}\ntouch P\n-----END RSA PRIVATE KEY-----`,
    `-----BEGIN PRIVATE KEY-----\ntouch P; ${text}`
  )
)

const lines = (pieces: ReadonlyArray<fc.Arbitrary<string>>, count: fc.ArrayConstraints) =>
  fc
    .array(fc.oneof(fc.constant(""), fc.array(fc.oneof(...pieces), { maxLength: 4 })), { size: "max", ...count })
    .map((all) => all.map((line) => (line === "" ? line : `echo ${(line as Array<string>).join("")}`)).join("\n"))

/** Bytes that one argument of a program may have. */
const maxBytes = 100 * 1024

const short = lines([ascii, look, secret], { maxLength: 8 })
const medium = lines([ascii, look, secret], { minLength: 20, maxLength: 120 })
const long = lines([ascii, look, unseen, secret], { minLength: 200, maxLength: 400 }).map((text) => {
  const more = `${text}\n${"#".repeat(5000)}`
  const bytes = Buffer.from(more)
  return bytes.length <= maxBytes ? more : bytes.subarray(0, maxBytes).toString().replaceAll("\ufffd", "")
})

/** What a person is asked about, on a terminal of which size, and which key is pressed too early. */
export interface Round {
  readonly text: string
  readonly early: string
}

const round = (text: fc.Arbitrary<string>, ...early: ReadonlyArray<string>): fc.Arbitrary<Round> =>
  fc.record({ text, early: fc.constantFrom(...early) })

export interface Session {
  readonly columns: number
  readonly rows: number
  readonly rounds: ReadonlyArray<Round>
}

/** A task whose calls are commands of all sizes. */
export const session: fc.Arbitrary<Session> = fc.record({
  columns: fc.constantFrom(40, 57, 80, 120, 200),
  rows: fc.constantFrom(16, 30, 60),
  rounds: fc.tuple(round(short, "y"), round(medium, "y", "s", "t", "a"), round(long, "y"))
})

const mark = /\[redacted-[a-z0-9-]+\]/
const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&")

/** Whether the text is what was shown, but for what is masked, of which nothing could run. */
const isShown = (shown: string, text: string): boolean => {
  const [here, there] = [shown.split("\n"), text.split("\n")]
  return (
    here.length === there.length &&
    here.every((line, index) => {
      const pattern = line.split(mark).map(literal).join("[^$();&|<>`\\r]*?")
      return new RegExp(`^${pattern}$`, "s").test(there[index]!)
    })
  )
}

/** What the rows of a request say of its command; nothing where they end before it does. */
const commandIn = (rows: ReadonlyArray<string>): string | undefined => {
  let at = rows.findLastIndex((row) => /^command:( \[|$)/.test(row))
  if (at < 0) return undefined
  for (let label = rows[at]!; label.includes("[") && !label.endsWith("]");) label += rows[++at]
  const found: Array<{ margin: boolean; text: string }> = []
  for (const row of rows.slice(at + 1)) {
    if (row.startsWith("│ ")) found.push({ margin: true, text: row.slice(2) })
    else if (row.startsWith("↳ ")) found.push({ margin: true, text: (found.pop()?.text ?? "") + row.slice(2) })
    else if (/^… \d+ empty lines …$/.test(row)) found.push({ margin: false, text: row })
    else return readBack(found)
  }
  return undefined
}

const status = /^(\d+)–(\d+)(?: of |\/)([\d,]+)(?: rows? · | )((?:not all |all |request |un|)read)/m

/** Goes on until all is said to be read, towards the end row by row; gives the rows that were on the screen. */
const paged = async (terminal: Probe): Promise<ReadonlyArray<string>> => {
  const rows: Array<string> = []
  for (let first = "0"; ;) {
    const screen = await terminal.seen(new RegExp(`^(?!${first}–)${status.source.slice(1)}`, "m"))
    const [, from = "", to = "", all = "", state] = status.exec(screen)!
    first = from
    for (const [index, row] of screen.slice(0, screen.search(status)).split("\n").slice(0, -1).entries())
      rows[Number(from) - 1 + index] = row
    if (state !== "not all read" && state !== "unread") return rows
    const shown = Number(to) - Number(from)
    terminal.press(Number(all.replaceAll(",", "")) - Number(to) > 2 * shown + 16 ? " " : "j")
  }
}

/** Answers one request as a person does who reads all of it. */
const answered = async (at: Place, terminal: Probe, { early, text }: Round, index: number): Promise<void> => {
  const ran = path.join(at.work, `ran-${index}`)
  const asked = () => terminal.seen(new RegExp(`(?:• Ran [^]*){${index}}⏸[^]*\\n *allow\\? [^]*$`))
  let screen = await asked()
  let shown: string | undefined
  if (/allow\? [dv]/.test(screen)) {
    terminal.press(early)
    await terminal.seen(/not read yet|not a valid key|came with other keys/)
    screen = await asked()
    assert.match(screen, /allow\? [dv][^]*$/)
    assert.ok(!fs.existsSync(ran), `${early} let a command run that nobody had read`)
    // What masks something is read on the page that reveals it.
    terminal.press(/allow\? v[^]*$/.test(screen) ? "v" : "d")
    shown = commandIn(await paged(terminal))
    terminal.press("q")
    await terminal.seen(/allow\? y[^]*$/)
  } else {
    shown = commandIn(screen.split("\n").map((row) => row.replace(/^ {4}/, "")))
  }
  terminal.press("y")
  await terminal.seen(new RegExp(`(?:• Ran [^]*){${index + 1}}(?:⏸[^]*allow|Done\\.)`))

  const [, , , , given] = fs.readFileSync(ran, "utf8").split("\0")
  assert.equal(given, text)
  assert.ok(shown !== undefined, "a command could be approved before its end was shown")
  if (!isShown(shown, text)) assert.equal(shown, text)
  assert.ok(!fs.existsSync(path.join(at.work, "P")))
}

/** Reads every command of a session back from the screen, and compares it with what the shell was given. */
export const reads = async ({ columns, rounds, rows }: Session): Promise<void> => {
  const at = place()
  const commands = rounds.map((one, index) => ({ ...one, text: witness(index) + one.text }))
  const turns = commands.map(({ text }) => ({
    steps: [{ call: { name: "run_shell", arguments: { command: text } } }]
  }))
  scripted(at, [...turns, { steps: [{ say: "Done." }] }])
  const terminal = await probe(at, ["run", "go"], { columns, rows, blanks: true })
  try {
    for (const [index, one] of commands.entries()) await answered(at, terminal, one, index)
    assert.equal(await terminal.ended, 0)
  } finally {
    terminal.kill()
    await terminal.ended
    at.remove()
  }
}
