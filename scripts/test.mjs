// Runs every test. What starts no process runs beside what does, which waits for its processes a quarter of the time.
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const root = process.cwd()
const vitest = path.resolve("node_modules/vitest/vitest.mjs")
const reports = fs.mkdtempSync(path.join(os.tmpdir(), "tests-"))
const reportOf = (project) => path.join(reports, `${project}.json`)

/** One run of vitest: how it ended, and what it printed where that is not shown as it comes. */
const run = (project, shown, ...args) =>
  new Promise((resolve) => {
    const reported = ["--reporter", "default", "--reporter", "json", "--outputFile.json", reportOf(project)]
    const child = spawn(process.execPath, [vitest, "run", "--project", project, "--no-isolate", ...reported, ...args], {
      stdio: ["ignore", shown, shown]
    })
    const pieces = []
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece) => pieces.push(piece))
    child.on("close", (code) => resolve({ project, code: code ?? 1, printed: Buffer.concat(pieces) }))
  })

/** What failed in a run, so that nobody has to look for it in ten thousand lines. */
const failuresOf = (project) => {
  if (!fs.existsSync(reportOf(project))) return []
  const { testResults } = JSON.parse(fs.readFileSync(reportOf(project), "utf8"))
  return testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ assertionResults, message, name }) => {
      const failed = assertionResults.filter(({ status }) => status === "failed")
      const file = path.relative(root, name)
      const told = failed.map(
        ({ failureMessages, fullName }) => `${file} > ${fullName}\n  ${failureMessages.join("\n  ")}`
      )
      return told.length === 0 ? [`${file}: ${message}`] : told
    })
    .map((failure) => failure.replaceAll(/\n +at .*node_modules.*|\n +at .*node:internal.*/g, ""))
}

/** What computes all the time has fewer workers than what waits for its processes. */
const few = String(Math.max(1, os.availableParallelism() - 1))
const fewer = ["--minWorkers", few, "--maxWorkers", few]

const aside = async () => [await run("covered", "pipe", "--coverage", ...fewer), await run("fast", "pipe", ...fewer)]

const [slow, others] = await Promise.all([run("slow", "inherit"), aside()])
for (const { printed } of others) process.stdout.write(printed)
for (const { code, project } of [slow, ...others]) {
  if (code === 0) continue
  process.exitCode = 1
  const failures = failuresOf(project)
  const why = failures.length === 0 ? "; what they printed above says why" : ""
  console.error(`\nThe ${project} tests ended with exit code ${code}${why}.`)
  for (const failure of failures) console.error(`✗ ${failure}`)
}
fs.rmSync(reports, { recursive: true, force: true })
