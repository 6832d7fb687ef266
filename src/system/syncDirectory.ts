import * as fs from "node:fs"

/** Makes names that were made, replaced or removed in a directory outlive a loss of power. Throws what the system says. */
export const syncDirectory = (directory: string): void => {
  const handle = fs.openSync(directory, "r")
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}
