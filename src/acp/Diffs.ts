import * as path from "node:path"
import { unquoted } from "../text/quotedName.ts"
import { makeVisible } from "../text/visible.ts"
import type { Diff } from "@agentclientprotocol/sdk"

/** One side of a change: its lines, the last of which may lack its line break. */
class Side {
  private readonly lines: Array<string> = []
  left: number
  open = false

  constructor(left: number) {
    this.left = left
  }

  take(line: string): void {
    this.lines.push(line)
    this.left--
  }

  get text(): string {
    return makeVisible(this.lines.map((line) => `${line}\n`).join("")).slice(0, this.open ? -1 : undefined)
  }
}

/** A change of a file between two lines of a unified diff. */
interface Hunk {
  readonly path: string
  readonly isNew: boolean
  readonly before: Side
  readonly after: Side
  /** The sign of its last line. */
  last: string
}

/** The name behind `---` or `+++`; none for a file that is not there. */
const nameOf = (header: string): string | undefined => {
  const name = header.slice(4).replace(/\t.*$/, "")
  if (name === "/dev/null") return undefined
  return unquoted(name).replace(/^[ab]\//, "")
}

const header = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/

/** A line of a hunk; false where it is none. */
const taken = (hunk: Hunk, line: string): boolean => {
  const sign = line === "" ? " " : line.slice(0, 1)
  if (sign === "\\") {
    if (hunk.last !== "+") hunk.before.open = true
    if (hunk.last !== "-") hunk.after.open = true
    return hunk.last !== ""
  }
  if (sign !== " " && sign !== "-" && sign !== "+") return false
  if (sign !== "+") hunk.before.take(line.slice(1))
  if (sign !== "-") hunk.after.take(line.slice(1))
  hunk.last = sign
  return hunk.before.left >= 0 && hunk.after.left >= 0
}

/**
 * A unified diff as editors show one, each hunk by itself, its paths absolute; nothing where the diff says more than hunks do, or less
 * than a whole one.
 */
export const diffsOf = (unified: string, directory: string): ReadonlyArray<Diff> | undefined => {
  const hunks: Array<Hunk> = []
  let names: { readonly old: string | undefined; readonly now: string | undefined } | undefined
  const lines = unified.replace(/\n$/, "").split("\n")
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    const hunk = hunks.at(-1)
    if (hunk !== undefined && (hunk.before.left > 0 || hunk.after.left > 0 || line.startsWith("\\"))) {
      if (!taken(hunk, line)) return undefined
      continue
    }
    if (line === "") continue
    const next = lines[at + 1] ?? ""
    if (line.startsWith("--- ") && next.startsWith("+++ ")) {
      names = { old: nameOf(line), now: nameOf(next) }
      at++
      continue
    }
    const found = header.exec(line)
    const name = names?.now ?? names?.old
    if (found === null || name === undefined) return undefined
    hunks.push({
      path: name,
      isNew: names?.old === undefined,
      before: new Side(Number(found[1] ?? 1)),
      after: new Side(Number(found[2] ?? 1)),
      last: ""
    })
  }
  const isWhole = hunks.every(({ after, before }) => before.left === 0 && after.left === 0)
  if (!isWhole || hunks.length === 0) return undefined
  return hunks.map(({ after, before, isNew, path: name }) => ({
    path: path.resolve(directory, name),
    oldText: isNew ? null : before.text,
    newText: after.text
  }))
}
