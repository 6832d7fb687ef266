import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"

/** The directory that sessions belong to: the nearest one with a `.git`, else the working directory. */
export const project: Effect.Effect<string> = Effect.sync(() => {
  const start = process.cwd()
  for (let directory = start; ; directory = path.dirname(directory)) {
    if (fs.existsSync(path.join(directory, ".git"))) return directory
    if (path.dirname(directory) === directory) return start
  }
})
