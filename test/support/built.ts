// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off globalDate:off - drives real processes from outside
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"

export const root = process.cwd()
const launcher = path.join(root, "dist/tollgate.cjs")
const lock = path.join(root, "node_modules/.cache/tollgate-build.lock")
/** A build takes seconds; a lock as old as this was left behind. */
const staleMillis = 120_000

const newest = (place: string): number => {
  const status = fs.statSync(place, { throwIfNoEntry: false })
  if (status === undefined) return 0
  if (!status.isDirectory()) return status.mtimeMs
  return Math.max(0, ...fs.readdirSync(place).map((name) => newest(path.join(place, name))))
}

const isCurrent = (): boolean => {
  const built = fs.statSync(launcher, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const scripts = ["build.mjs", "launcher.cjs", "lazyLeaves.mjs", "leanSchemas.mjs", "library.mjs"].map(
    (name) => `scripts/${name}`
  )
  const sources = ["src", "bin", "package.json", ...scripts]
  return sources.every((place) => newest(path.join(root, place)) <= built)
}

const locked = (): boolean => {
  try {
    fs.mkdirSync(lock, { recursive: false })
    return true
  } catch {
    const age = Date.now() - (fs.statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > staleMillis) fs.rmSync(lock, { recursive: true, force: true })
    return false
  }
}

const runBuild = (...args: ReadonlyArray<string>): Promise<unknown> =>
  promisify(execFile)(process.execPath, [path.join(root, "scripts/build.mjs"), ...args], { cwd: root })

/** Builds the command line from what is in the tree, if it is not; workers that come at the same time share one build. */
const build = async (): Promise<string> => {
  fs.mkdirSync(path.dirname(lock), { recursive: true })
  while (!isCurrent()) {
    if (!locked()) {
      await setTimeout(100)
      continue
    }
    try {
      if (!isCurrent()) await runBuild()
      break
    } finally {
      fs.rmSync(lock, { recursive: true, force: true })
    }
  }
  return launcher
}

let launched: Promise<string> | undefined

/** The path of the command line, looked at once in each worker: nothing of the tree changes while tests run. */
export const built = (): Promise<string> => (launched ??= build())

/** The declarations of the library, which the command line does without. */
export const builtTypes = async (): Promise<string> => {
  await built()
  const types = path.join(root, "dist/types")
  if (!fs.existsSync(types)) await runBuild("--types")
  return types
}
