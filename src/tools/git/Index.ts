import * as fs from "node:fs"

/** Bytes of an index that are read. */
const maxBytes = 4 * 1024 * 1024

/** What the index of a repository tracks. */
export interface Tracked {
  /** From the top of the working tree. */
  readonly names: ReadonlyArray<string>
  /** Whether a commit of another repository is among it. */
  readonly links: boolean
  /** Whether the file at a path is what was added under the name of that position; no where that is not certain. */
  readonly isUntouched: (position: number, path: string) => boolean
}

const linkMode = 0o160000

/** Reads the names in an index; `undefined` where its format is not known, it is damaged or too large. */
export const tracked = (file: string): Tracked | undefined => {
  const stat = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false })
  if (stat === undefined) return { names: [], links: false, isUntouched: () => false }
  if (!stat.isFile() || stat.size > maxBytes) return undefined
  const bytes = fs.readFileSync(file)
  if (bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined
  const version = bytes.readUInt32BE(4)
  if (version !== 2 && version !== 3) return undefined
  const names: Array<string> = []
  const entries: Array<number> = []
  let links = false
  let at = 12
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    if (at + 64 > bytes.length) return undefined
    links ||= bytes.readUInt32BE(at + 24) === linkMode
    const flags = bytes.readUInt16BE(at + 60)
    const start = at + ((flags & 0x4000) === 0 ? 62 : 64)
    const end = bytes.indexOf(0, start)
    if (end < 0 || ((flags & 0xfff) !== 0xfff && end - start !== (flags & 0xfff))) return undefined
    names.push(bytes.toString("utf8", start, end))
    entries.push(at)
    at += Math.floor((end - at + 8) / 8) * 8
  }
  const isUntouched = (position: number, path: string): boolean => {
    const entry = entries[position]
    return entry !== undefined && isAsAdded(bytes.subarray(entry, entry + 62), path, stat.mtimeNs)
  }
  return { names, links, isUntouched }
}

const stages = 0x3000

/**
 * By size and time, as git tells it. A file that changes in the moment in which the index is written can have the time that stands
 * in it, so that it has to be older.
 */
const isAsAdded = (entry: Buffer, path: string, written: bigint): boolean => {
  const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (stat?.isFile() !== true || (entry.readUInt16BE(60) & stages) !== 0) return false
  const timeAt = (at: number): bigint =>
    BigInt(entry.readUInt32BE(at)) * 1_000_000_000n + BigInt(entry.readUInt32BE(at + 4))
  const isSame = stat.ctimeNs === timeAt(0) && stat.mtimeNs === timeAt(8)
  return isSame && stat.mtimeNs < written && BigInt.asUintN(32, stat.size) === BigInt(entry.readUInt32BE(36))
}
