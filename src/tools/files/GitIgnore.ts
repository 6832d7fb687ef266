import ignore, { type Ignore } from "ignore"
import * as fs from "node:fs"
import { isWithin } from "../../policy/path/PathText.ts"
import type { WalkEntry } from "../../policy/path/Walk.ts"

/** Bytes and lines of one `.gitignore`; what is beyond does not count. */
const maxBytes = 256 * 1024
const maxRules = 2000

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = fs.constants

const read = (file: string): string => {
  try {
    const descriptor = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      if (!fs.fstatSync(descriptor).isFile()) return ""
      const buffer = Buffer.alloc(maxBytes)
      return buffer.toString("utf8", 0, fs.readSync(descriptor, buffer, 0, maxBytes, 0))
    } finally {
      fs.closeSync(descriptor)
    }
  } catch {
    return ""
  }
}

/**
 * Rules become backtracking expressions whose cost grows with the power of their wildcards; one with more than anybody
 * writes is left out, which shows a file too much.
 */
const isCheap = (rule: string): boolean =>
  rule.length <= 256 &&
  (rule.match(/\*\*/g)?.length ?? 0) <= 3 &&
  rule.split("/").every((name) => (name.match(/[*?[]/g)?.length ?? 0) <= 3)

const rulesOf = (directory: string): Ignore | undefined => {
  const rules = read(`${directory}/.gitignore`)
    .split(/\r?\n/, maxRules)
    .filter((rule) => rule.trim() !== "" && !rule.startsWith("#") && isCheap(rule))
  try {
    return rules.length === 0 ? undefined : ignore().add(rules)
  } catch {
    return undefined
  }
}

interface Level {
  readonly directory: string
  readonly rules: Ignore
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/"

/** Whether the rules of the levels, outermost first, leave a path out; the innermost that has a word on it wins. */
const isIgnored = (levels: ReadonlyArray<Level>, path: string, isDirectory: boolean): boolean =>
  levels.reduce((ignored, { directory, rules }) => {
    const found = rules.test(path.slice(directory.length + 1) + (isDirectory ? "/" : ""))
    return found.ignored ? true : found.unignored ? false : ignored
  }, false)

/**
 * What a walk that begins at `top` leaves out: `.git`, and what the `.gitignore` files say, from the root down that holds it. A walk that
 * begins in an ignored directory was meant, so the rules above it do not count. Directories must come before what is in them.
 */
export const skip = (
  roots: ReadonlyArray<string>,
  top: string
): ((entry: Pick<WalkEntry, "path" | "kind">) => boolean) => {
  const root = roots
    .filter((each) => isWithin(top, each))
    .reduce((outermost, each) => (each.length < outermost.length ? each : outermost), top)
  const known = new Map<string, ReadonlyArray<Level>>()
  const levelsOf = (directory: string): ReadonlyArray<Level> => {
    const found = known.get(directory)
    if (found !== undefined) return found
    const isBelow = directory !== root && directory.startsWith(`${root}/`)
    const above = isBelow ? levelsOf(parentOf(directory)) : []
    const rules = rulesOf(directory)
    const levels = rules === undefined ? above : [...above, { directory, rules }]
    known.set(directory, levels)
    return levels
  }
  if (top.startsWith(`${root}/`) && isIgnored(levelsOf(parentOf(top)), top, true)) {
    const rules = rulesOf(top)
    known.clear()
    known.set(top, rules === undefined ? [] : [{ directory: top, rules }])
  }
  return ({ kind, path }) => path.endsWith("/.git") || isIgnored(levelsOf(parentOf(path)), path, kind === "directory")
}
