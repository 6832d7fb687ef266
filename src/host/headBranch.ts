import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"

/** Characters of a file of git that names something else. */
const limit = 4096

const firstLine = (file: string): string => {
  const status = fs.statSync(file)
  return status.isFile() && status.size <= limit ? (fs.readFileSync(file, "utf8").split("\n")[0] ?? "") : ""
}

/** The branch that HEAD of a project names, read from its file without a process; none where git names none. */
export const headBranch = (project: string): Effect.Effect<string | undefined> =>
  Effect.sync(() => {
    try {
      const place = path.join(project, ".git")
      // A linked worktree keeps its HEAD elsewhere.
      const [, elsewhere] = fs.statSync(place).isDirectory() ? [] : (/^gitdir: (.+)$/.exec(firstLine(place)) ?? [])
      const head = path.join(elsewhere === undefined ? place : path.resolve(project, elsewhere), "HEAD")
      return /^ref: refs\/heads\/(.+)$/.exec(firstLine(head))?.[1]
    } catch {
      return undefined
    }
  })
