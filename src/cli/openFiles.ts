import * as fs from "node:fs"
import * as path from "node:path"
import type { Home } from "../config/Home.ts"
import { typed } from "../text/ShellWord.ts"

/** A file or a directory of Tollgate that other users of the machine can do too much with. */
export interface OpenFile {
  readonly problem: string
  /** The command that mends it. */
  readonly mend: string
}

const [readable, writable] = [0o044, 0o022]

const modeOf = (file: string): number | undefined => {
  try {
    const found = fs.statSync(file, { throwIfNoEntry: false })
    return found === undefined || found.uid !== process.getuid?.() ? undefined : found.mode
  } catch {
    return undefined
  }
}

/** What others can do with a file of the user; nothing where it is not there, or belongs to somebody else. */
const foundAt = (file: string, forbidden: number): ReadonlyArray<OpenFile> => {
  const mode = modeOf(file)
  const open = (mode ?? 0) & forbidden
  if (open === 0) return []
  const what = [...((open & readable) > 0 ? ["read"] : []), ...((open & writable) > 0 ? ["change"] : [])].join(" and ")
  const mend = forbidden === writable ? "go-w" : "go-rwx"
  return [{ problem: `other users can ${what} ${file}`, mend: `chmod ${mend} ${typed(file)}` }]
}

/** What others can read that is the user's alone, and what they can change of what Tollgate goes by. */
export const openFiles = ({ approvals, config, database }: Home): ReadonlyArray<OpenFile> => {
  const [ofDatabase] = ["", "-wal", "-shm", "-anchor"].flatMap((end) =>
    foundAt(`${database}${end}`, readable | writable)
  )
  const signed = ["audit.key", "audit.head"].map((name) => path.join(approvals, name))
  const places = [...new Set([path.dirname(database), approvals, path.dirname(config)])]
  return [
    // SQLite makes what stands beside a database as open as that is, also after this look.
    ...(ofDatabase === undefined ? [] : [{ ...ofDatabase, mend: `chmod go-rwx ${typed(database)}*` }]),
    ...signed.flatMap((file) => foundAt(file, readable | writable)),
    ...[...places, config].flatMap((file) => foundAt(file, writable))
  ]
}
