// Bundles a TypeScript program into a temporary folder and runs it: `node scripts/run.mjs FILE [ARG…]`.
import { build } from "esbuild"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..")
const [file, ...args] = process.argv.slice(2)
const cache = path.join(root, "node_modules/.cache/tollgate")
fs.mkdirSync(cache, { recursive: true })
const folder = fs.mkdtempSync(path.join(cache, "run-"))
const outfile = path.join(folder, "program.cjs")
const tidy = () => fs.rmSync(folder, { recursive: true, force: true })
await build({
  entryPoints: [file],
  outfile,
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  // The one file that is read beside a module.
  define: { "import.meta.dirname": JSON.stringify(path.join(root, "src/search")) },
  external: [
    "better-sqlite3",
    "@photostructure/sqlite",
    "esbuild",
    "playwright-core",
    "@lydell/node-pty",
    "@xterm/headless"
  ],
  logLevel: "error"
})
const child = spawn(process.execPath, ["--expose-gc", outfile, ...args], { stdio: "inherit" })
child.on("exit", (code, signal) => {
  tidy()
  process.exitCode = signal === null ? (code ?? 1) : 1
})
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal))
