import * as fs from "node:fs"

/** Whether there is a file; a pipe or a device, which could be waited for without end, throws, and so does a directory. */
export const isPlain = (file: string): boolean => {
  const found = fs.statSync(file, { throwIfNoEntry: false })
  if (found !== undefined && !found.isFile()) {
    throw Object.assign(new Error("not a file"), { code: found.isDirectory() ? "EISDIR" : "ENXIO" })
  }
  return found !== undefined
}
