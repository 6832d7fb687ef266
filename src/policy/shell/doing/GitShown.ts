import * as Either from "effect/Either"
import { gitCommands } from "../GitCommands.ts"
import { contentsOf, type GitContents } from "../GitContents.ts"
import { isThere } from "../isThere.ts"
import { normalise } from "../LexicalPath.ts"
import type { ShellContext } from "../ShellContext.ts"
import type { Doing, Touched } from "./Touched.ts"

/** Which contents git shows, and where. */
export interface GitShown {
  readonly directory: string
  readonly contents: GitContents
}

const isChange = ({ op }: Touched): boolean => op === "write" || op === "link"

const placeOf = (directory: string, { resolve }: ShellContext): string => {
  const led = resolve?.(directory)
  return led !== undefined && Either.isRight(led) ? led.right.path : normalise(directory)
}

/** Which contents git shows by the commands of a shell text, in each of the directories that they may run in. */
export const shownByGit = ({ git, touched }: Doing, context: ShellContext): ReadonlyArray<GitShown> => {
  // What has changed is seen before the text runs.
  const isSame = git.every(({ name }) => Object.hasOwn(gitCommands, name)) && !touched.some(isChange)
  return git.flatMap(({ args, from, name, operands }) =>
    from.map((directory) => {
      const contents = contentsOf(name, args, operands, (path) => isThere(path, [directory], context))
      return {
        directory: placeOf(directory, context),
        contents: contents.of === "tracked" && !isSame ? { ...contents, changed: false } : contents
      }
    })
  )
}
