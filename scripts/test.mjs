// Runs the check and every test. What starts no process runs beside what does, which waits for its processes a quarter of the time.
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const vitest = path.resolve("node_modules/vitest/vitest.mjs")
const reports = fs.mkdtempSync(path.join(os.tmpdir(), "tests-"))

/** One run of vitest: how it ended, what failed, and what it printed where that is not shown as it comes. */
const run = (project, shown, ...args) =>
  new Promise((resolve) => {
    const file = path.join(reports, project)
    const reporters = ["--reporter", "default", "--reporter", "./scripts/failures.mjs"]
    const child = spawn(
      process.execPath,
      [vitest, "run", "--project", project, "--no-isolate", ...reporters, ...args],
      {
        stdio: ["ignore", shown, shown],
        env: { ...process.env, FAILURES: file }
      }
    )
    const pieces = []
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece) => pieces.push(piece))
    child.on("close", (code) => {
      const failures = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : []
      resolve({ what: `The ${project} tests`, code: code ?? 1, failures, printed: Buffer.concat(pieces) })
    })
  })

/** The check, which says itself what failed, as soon as it knows. */
const check = () =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [path.resolve("scripts/check.mjs")], { stdio: "inherit" })
    child.on("close", (code) => resolve({ what: "The check", code: code ?? 1, failures: [], printed: "" }))
  })

/** What computes all the time has fewer workers than what waits for its processes. */
const few = String(Math.max(1, os.availableParallelism() - 1))
const fewer = ["--minWorkers", few, "--maxWorkers", few]

const aside = async () => [
  await check(),
  await run("covered", "pipe", "--coverage", ...fewer),
  await run("fast", "pipe", ...fewer)
]

const [slow, others] = await Promise.all([run("slow", "inherit"), aside()])
for (const { printed } of others) process.stdout.write(printed)
// What failed comes last, so that nobody has to look for it in ten thousand lines.
for (const { code, failures, what } of [slow, ...others]) {
  if (code === 0) continue
  process.exitCode = 1
  const why = failures.length === 0 ? "; what they printed above says why" : ""
  console.error(`\n${what} ended with exit code ${code}${why}.`)
  for (const failure of failures) console.error(`✗ ${failure}`)
}
fs.rmSync(reports, { recursive: true, force: true })
