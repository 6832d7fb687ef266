import * as fs from "node:fs"
import * as path from "node:path"
import { temporaryName } from "./Temporary.ts"
import { makeDirectory } from "./makeDirectory.ts"
import { syncDirectory } from "./syncDirectory.ts"

/** Writes a file as a whole, readable by its owner only; a crash leaves the old or the new one. Throws the system's error. */
export const replaceFile = (file: string, text: string): void => {
  makeDirectory(path.dirname(file))
  const fresh = temporaryName(`${file}.`)
  try {
    fs.writeFileSync(fresh, text, { mode: 0o600, flag: "wx", flush: true })
    fs.renameSync(fresh, file)
    syncDirectory(path.dirname(file))
  } finally {
    fs.rmSync(fresh, { force: true })
  }
}
