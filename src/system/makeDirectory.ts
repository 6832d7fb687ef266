import * as fs from "node:fs"
import * as path from "node:path"

/**
 * Makes a directory and those above it that are missing, for its owner alone. Throws what the system says, also where
 * Node's own recursion tries for ever, as below `/proc`.
 */
export const makeDirectory = (directory: string): void => {
  const missing: Array<string> = []
  let above = directory
  while (!fs.existsSync(above) && path.dirname(above) !== above) {
    missing.push(above)
    above = path.dirname(above)
  }
  for (const one of missing.reverse()) {
    try {
      fs.mkdirSync(one, { mode: 0o700 })
    } catch (error) {
      if (!fs.existsSync(one)) throw error
    }
  }
}
