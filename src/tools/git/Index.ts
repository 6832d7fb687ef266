import * as fs from "node:fs"

/** Bytes of an index that are read. */
const maxBytes = 4 * 1024 * 1024

/** What the index of a repository tracks. */
export interface Tracked {
  /** From the top of the working tree. */
  readonly names: ReadonlyArray<string>
  /** Whether a commit of another repository is among it. */
  readonly links: boolean
}

const linkMode = 0o160000

/** Reads the names in an index; `undefined` where its format is not known, it is damaged or too large. */
export const tracked = (file: string): Tracked | undefined => {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return { names: [], links: false }
  if (!stat.isFile() || stat.size > maxBytes) return undefined
  const bytes = fs.readFileSync(file)
  if (bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined
  const version = bytes.readUInt32BE(4)
  if (version !== 2 && version !== 3) return undefined
  const names: Array<string> = []
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
    at += Math.floor((end - at + 8) / 8) * 8
  }
  return { names, links }
}
