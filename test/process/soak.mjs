// By hand: `node test/process/soak.mjs [commands] [gibibytes]`. Cancels many process trees and reads much output, prints what is
// left of them, and fails where anything is.
import * as esbuild from "esbuild"
import * as ChildProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-soak-"))
const outfile = path.join(folder, "soak.cjs")
const entry = fileURLToPath(new URL("./fixtures/soak.ts", import.meta.url))
esbuild.buildSync({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "cjs", logLevel: "error" })
const { status } = ChildProcess.spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], { stdio: "inherit" })
fs.rmSync(folder, { recursive: true })
process.exitCode = status ?? 1
