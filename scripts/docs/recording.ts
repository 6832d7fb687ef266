// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off globalTimers:off - drives a real terminal from outside
// `npm run recording` plays the tour in a real terminal, answers it as a person would, and writes docs/tour.svg.
import { spawn } from "@lydell/node-pty"
import * as Headless from "@xterm/headless"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const columns = 92
const rows = 30
const cell = { width: 8.4, height: 18 }
const sampleMillis = 60
/** How long a person looks before each answer, and at the end. */
const thoughtMillis = 1600
const lastMillis = 6000
const answers = ["y", "y", "n"]

const theme = {
  background: "#16181d",
  foreground: "#d6d8dd",
  palette: ["#16181d", "#f07178", "#a5d6a7", "#f5d67b", "#82aaff", "#c792ea", "#7fdbca", "#d6d8dd"]
}

interface Run {
  readonly column: number
  readonly width: number
  readonly text: string
  readonly style: string
}

interface Frame {
  readonly at: number
  readonly lines: ReadonlyArray<string>
}

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const styleOf = (one: Headless.IBufferCell): string =>
  [
    one.isFgDefault() ? "" : ` fill="${theme.palette[one.getFgColor() % 8]}"`,
    one.isBold() === 0 ? "" : ` font-weight="700"`,
    one.isDim() === 0 ? "" : ` opacity="0.6"`
  ].join("")

const runsOf = (line: Headless.IBufferLine): ReadonlyArray<Run> => {
  const runs: Array<Run> = []
  for (let column = 0; column < columns; column++) {
    const one = line.getCell(column)
    if (one === undefined || one.getWidth() === 0) continue
    const text = one.getChars() || " "
    const style = text === " " ? "" : styleOf(one)
    const last = runs.at(-1)
    if (last !== undefined && last.style === style) {
      runs[runs.length - 1] = { ...last, text: last.text + text, width: last.width + one.getWidth() }
    } else runs.push({ column, width: one.getWidth(), text, style })
  }
  return runs.filter(({ text }) => text.trim() !== "")
}

const lineOf = (line: Headless.IBufferLine | undefined): string =>
  (line === undefined ? [] : runsOf(line))
    .map(({ column, style, text, width }) => {
      const lead = text.length - text.trimStart().length
      const body = text.trim()
      const wide = width - (text.length - body.length)
      const at = (column + lead) * cell.width
      return `<text x="${at.toFixed(1)}" textLength="${(wide * cell.width).toFixed(1)}"${style}>${escape(body)}</text>`
    })
    .join("")

const svg = (frames: ReadonlyArray<Frame>, total: number): string => {
  const width = columns * cell.width + 24
  const height = rows * cell.height + 24
  const known = new Map<string, string>()
  const nameOf = (line: string) => {
    const name = known.get(line) ?? `l${known.size}`
    known.set(line, name)
    return name
  }
  const shown = frames.map(({ lines }, index) => {
    const uses = lines.flatMap((line, row) =>
      line === "" ? [] : [`<use href="#${nameOf(line)}" y="${(row + 1) * cell.height}"/>`]
    )
    return `<g transform="translate(${index * width} 0)">${uses.join("")}</g>`
  })
  const steps = frames.map(
    ({ at }, index) => `${((at / total) * 100).toFixed(2)}%{transform:translateX(${-index * width}px)}`
  )
  const end = `transform:translateX(${-(frames.length - 1) * width}px)`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="The tour of Tollgate in a terminal">`,
    `<style>text{white-space:pre;font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${theme.foreground}}`,
    theme.palette.map((colour) => `text[fill="${colour}"]{fill:${colour}}`).join(""),
    `@keyframes play{${steps.join("")}100%{${end}}}`,
    `.film{animation:play ${(total / 1000).toFixed(1)}s steps(1,end) infinite}`,
    `@media (prefers-reduced-motion:reduce){.film{animation:none;${end}}}</style>`,
    `<defs>${[...known].map(([line, name]) => `<g id="${name}">${line}</g>`).join("\n")}</defs>`,
    `<rect width="100%" height="100%" rx="8" fill="${theme.background}"/>`,
    `<svg x="12" y="8" width="${width - 24}" height="${height - 16}"><g class="film">`,
    shown.join("\n"),
    `</g></svg></svg>\n`
  ].join("\n")
}

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

const record = async (): Promise<void> => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-recording-"))
  // By the name that it has where it is installed.
  const program = path.join(home, "tollgate")
  fs.symlinkSync(path.resolve("dist/tollgate.cjs"), program)
  const screen = new Headless.Terminal({ cols: columns, rows, allowProposedApi: true })
  const child = spawn(process.execPath, [program, "tour"], {
    cols: columns,
    rows,
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, TOLLGATE_HOME: home, TERM: "xterm-256color" }
  })
  child.onData((data) => screen.write(data))
  const play = { over: false }
  child.onExit(() => {
    play.over = true
  })
  const startedAt = performance.now()
  const frames: Array<Frame> = []
  const look = () => {
    const { active } = screen.buffer
    const lines = Array.from({ length: rows }, (_, row) => lineOf(active.getLine(active.viewportY + row)))
    const same = frames.at(-1)?.lines.every((line, row) => line === lines[row]) ?? false
    if (!same) frames.push({ at: performance.now() - startedAt, lines })
    return lines
  }
  const given = [...answers]
  while (!play.over) {
    if (look().some((line) => line.includes(">allow?<")) && given.length > 0) {
      await pause(thoughtMillis)
      child.write(given.shift() ?? "n")
      await pause(3 * sampleMillis)
    }
    await pause(sampleMillis)
  }
  await pause(3 * sampleMillis)
  look()
  const total = performance.now() - startedAt + lastMillis
  fs.writeFileSync("docs/tour.svg", svg(frames, total))
  fs.rmSync(home, { recursive: true, force: true })
}

void record()
