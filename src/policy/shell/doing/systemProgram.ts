import { normalise } from "../LexicalPath.ts"
import { interpreterOf, projectPrograms } from "./ProjectPrograms.ts"

/** Where the programs of the system and of its package managers are; the last name is theirs. */
const systemPath = /^\/(?:(?:usr\/(?:local\/)?)?(?:s?bin|lib|libexec)|opt|nix|snap)\/(?:.*\/)?([^/]+)$/

/** The name of a program of the system, however its path is written; nothing where it is a file of the project, or called by its name. */
export const systemProgram = (called: string, reached: ReadonlyArray<string>): string | undefined => {
  if (!called.includes("/")) return undefined
  return reached.map((path) => systemPath.exec(normalise(path))?.[1]).find((name) => name !== undefined)
}

/** Whether a file that is called so may be a program that is judged by its words. */
export const isNamedLikeAProgram = (name: string): boolean =>
  interpreterOf(name) !== undefined || projectPrograms.has(name)
