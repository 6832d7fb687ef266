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

/**
 * Workers of what waits for its processes, and of what computes all the time: two for each core. Each loads the modules once,
 * and lives to the end: the pool loses the tasks of workers that it ends early.
 */
const cores = os.availableParallelism()
const workers = (count) => ["--no-isolate", "--minWorkers", String(count), "--maxWorkers", String(count)]
const [more, fewer] = [cores + 1, Math.max(1, cores - 1)].map(workers)

const aside = async () => [
  await run(["--project", "covered", "--coverage", ...fewer], "pipe"),
  await run(["--project", "fast", ...fewer], "pipe")
]

const [slow, others] = await Promise.all([run(["--project", "slow", ...more], "inherit"), aside()])
for (const { printed } of others) process.stdout.write(printed)
process.exitCode = [slow, ...others].some(({ code }) => code !== 0) ? 1 : 0
