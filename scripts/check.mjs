// Checks types, rules and format, all at once: two of them use one core each.
import { spawn } from "node:child_process"
import * as path from "node:path"

const checks = [["tsc"], ["tsc", "-p", "src/browser"], ["prettier", "--check", "--log-level", "warn", "."], ["oxlint"]]

/** One of them: how it ended, and what it printed. */
const check = ([name, ...args]) =>
  new Promise((resolve) => {
    const child = spawn(path.resolve("node_modules/.bin", name), args, { stdio: ["ignore", "pipe", "pipe"] })
    const pieces = []
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => pieces.push(piece))
    child.on("error", ({ message }) => pieces.push(Buffer.from(`${message}; npm ci installs what is needed\n`)))
    child.on("close", (code) => resolve({ name: [name, ...args].join(" "), code, printed: Buffer.concat(pieces) }))
  })

for (const { code, name, printed } of await Promise.all(checks.map(check))) {
  process.stdout.write(printed)
  if (code === 0) continue
  console.error(`${name} has failed.`)
  process.exitCode = 1
}
