import * as fs from "node:fs"
import * as path from "node:path"

/** The nearest directory with a `.git`, else the directory itself. */
export const projectOf = (start: string): string => {
  for (let directory = start; ; directory = path.dirname(directory)) {
    if (fs.existsSync(path.join(directory, ".git"))) return directory
    if (path.dirname(directory) === directory) return start
  }
}
