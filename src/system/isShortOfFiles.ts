import * as fs from "node:fs"
import { errnoOf } from "./errno.ts"

/** Files that a database opens at a time, and some more. */
const wanted = 8

/** Whether this process may open no more files, for those who only know that one could not be opened. */
export const isShortOfFiles = (): boolean => {
  const open: Array<number> = []
  try {
    while (open.length < wanted) open.push(fs.openSync(process.execPath, "r"))
    return false
  } catch (error) {
    return errnoOf(error) === "EMFILE"
  } finally {
    open.forEach((descriptor) => fs.closeSync(descriptor))
  }
}
