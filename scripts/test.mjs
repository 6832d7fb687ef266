// Runs every test. What starts no process runs beside what does, which waits for its processes a quarter of the time.
import { spawn } from "node:child_process"
import * as os from "node:os"
import * as path from "node:path"

const vitest = path.resolve("node_modules/vitest/vitest.mjs")

/** One run of vitest: how it ended, and what it printed where that is not shown as it comes. */
const run = (args, shown) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [vitest, "run", ...args], { stdio: ["ignore", shown, shown] })
    const pieces = []
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece) => pieces.push(piece))
    child.on("close", (code) => resolve({ code: code ?? 1, printed: Buffer.concat(pieces) }))
  })

/** What computes all the time has fewer workers than what waits for its processes. */
const few = String(Math.max(1, os.availableParallelism() - 1))
const fewer = ["--minWorkers", few, "--maxWorkers", few]

const aside = async () => [
  await run(["--project", "covered", "--no-isolate", "--coverage", ...fewer], "pipe"),
  await run(["--project", "fast", "--no-isolate", ...fewer], "pipe")
]

const [slow, others] = await Promise.all([run(["--project", "slow", "--no-isolate"], "inherit"), aside()])
for (const { printed } of others) process.stdout.write(printed)
process.exitCode = [slow, ...others].some(({ code }) => code !== 0) ? 1 : 0
