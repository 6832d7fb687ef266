// Checks types, rules and format: types on one core, which take most of the time and the memory, and beside them all else.
import { spawn } from "node:child_process"
import * as os from "node:os"
import * as path from "node:path"

/** Each checker of the compiler holds most types for itself, so there are more of them only where there are cores for them. */
const tsc = ["tsc", "--checkers", String(Math.max(1, os.availableParallelism() >> 1))]

/** What runs one after the other; both rows at once. */
const rows = [
  [tsc, [...tsc, "-p", "src/browser"]],
  [["prettier", "--check", "--log-level", "warn", "."], ["oxlint"]]
]

/** One of them: how it ended, and what it printed. */
const check = ([name, ...args]) =>
  new Promise((resolve) => {
    const child = spawn(path.resolve("node_modules/.bin", name), args, { stdio: ["ignore", "pipe", "pipe"] })
    const pieces = []
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => pieces.push(piece))
    child.on("error", ({ message }) => pieces.push(Buffer.from(`${message}; npm ci installs what is needed\n`)))
    child.on("close", (code, signal) =>
      resolve({ name: [name, ...args].join(" "), code, signal, printed: Buffer.concat(pieces) })
    )
  })

/** Says what it was as soon as it ends, so that a run which is ended itself has said how far it came. */
const say = ({ code, name, printed, signal }) => {
  process.stdout.write(printed)
  if (code === 0) return console.log(`${name}: nothing to mend`)
  const memory = signal === "SIGKILL" ? ", perhaps for want of memory; types take 3 GB" : ""
  console.error(signal ? `${name} was ended by ${signal}${memory}.` : `${name} has failed.`)
  process.exitCode = 1
}

const inTurn = async (row) => {
  for (const one of row) say(await check(one))
}

await Promise.all(rows.map(inTurn))
