import { FILE_HEADERS_ONLY, formatPatch, structuredPatch, type StructuredPatch } from "diff"
import type { DiffSize, FileDiff } from "../../tool/ToolEvent.ts"

/** Changed lines beyond which the search for the shortest diff gives up (about 0.1 s) and everything is shown. */
const maxEditLength = 1000

const context = 3

const lines = (text: string): ReadonlyArray<string> => text.split("\n")

const side = (sign: "+" | "-", text: string): { readonly count: number; readonly lines: ReadonlyArray<string> } => {
  if (text === "") return { count: 0, lines: [] }
  const all = lines(text)
  const ended = all.at(-1) === ""
  const shown = (ended ? all.slice(0, -1) : all).map((line) => `${sign}${line}`)
  return { count: shown.length, lines: ended ? shown : [...shown, "\\ No newline at end of file"] }
}

const replaced = (oldFileName: string, newFileName: string, before: string, after: string): StructuredPatch => {
  const removed = side("-", before)
  const added = side("+", after)
  const hunk = {
    oldStart: 1,
    oldLines: removed.count,
    newStart: 1,
    newLines: added.count,
    lines: [...removed.lines, ...added.lines]
  }
  return { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks: [hunk] }
}

/** A name in quotes and on one line where it could pass for anything else, for lines that the library does not write. */
export const diffName = (name: string): string => (/[\p{Cc}"\\]/u.test(name) ? JSON.stringify(name) : name)

/**
 * The change of one file as a unified diff, its name in quotes as git writes them; undefined is a file that does not exist. Empty
 * if nothing changes.
 */
export const unifiedDiff = (before: string | undefined, after: string | undefined, path: string): string => {
  if (before === after) return ""
  const oldName = before === undefined ? "/dev/null" : `a/${path}`
  const newName = after === undefined ? "/dev/null" : `b/${path}`
  const [old, now] = [before ?? "", after ?? ""]
  const patch = structuredPatch(oldName, newName, old, now, undefined, undefined, { context, maxEditLength })
  return formatPatch(patch ?? replaced(oldName, newName, old, now), FILE_HEADERS_ONLY)
}

/** What an event keeps of a diff. */
const maxKeptLength = 16 * 1024
const maxKeptLines = 200

/** What the diff of one file adds and removes: the lines of its hunks. */
export const diffSize = (diff: string): DiffSize => {
  const all = diff.split("\n")
  const first = all.findIndex((line) => line.startsWith("@@ "))
  const hunks = first === -1 ? [] : all.slice(first)
  const count = (sign: string) => hunks.filter((line) => line.startsWith(sign)).length
  return { added: count("+"), removed: count("-") }
}

/** The first lines of a diff, whole ones only. */
export const beginning = (diff: string): FileDiff => {
  const all = diff.replace(/\n$/, "").split("\n")
  let length = 0
  const end = all.findIndex((line, index) => index === maxKeptLines || (length += line.length + 1) > maxKeptLength)
  const kept = end === -1 ? all : all.slice(0, end)
  const omitted = all.length - kept.length
  return { text: kept.join("\n"), omitted, ...(omitted > 0 && { size: diffSize(diff) }) }
}
