import * as fs from "node:fs"

/** What became of a file that is open. */
export type Absence = "deleted" | "replaced by another file"

interface Place {
  readonly path: string
  readonly device: number
  readonly inode: number
}

const placeOf = (path: string): Place | undefined => {
  const found = fs.statSync(path, { throwIfNoEntry: false })
  return found === undefined ? undefined : { path, device: found.dev, inode: found.ino }
}

/**
 * Looks whether a database and its log are still the files that were opened: what is written to one that was deleted
 * vanishes with the process. Costs a few microseconds.
 */
export const watch = (database: string): (() => { readonly path: string; readonly how: Absence } | undefined) => {
  const opened = [database, `${database}-wal`].flatMap((path) => placeOf(path) ?? [])
  return () => {
    for (const { device, inode, path } of opened) {
      const now = placeOf(path)
      if (now === undefined) return { path, how: "deleted" }
      if (now.device !== device || now.inode !== inode) return { path, how: "replaced by another file" }
    }
    return undefined
  }
}
