import type { Literal } from "../Literal.ts"
import { normalise } from "../LexicalPath.ts"
import { commandName } from "../Wrappers.ts"
import { launched, type Launched } from "./Launchers.ts"
import { programDoes } from "./programDoes.ts"
import { interpreterOf, projectPrograms } from "./ProjectPrograms.ts"
import { isUnread, type Step, type Unread } from "./Step.ts"

/** Where the programs of the system and of its package managers are; the last name is theirs. */
const systemPath = /^\/(?:(?:usr\/(?:local\/)?)?(?:s?bin|lib|libexec)|opt|nix|snap)\/(?:.*\/)?([^/]+)$/

/** The name of a program of the system, however its path is written; nothing where it is a file of the project, or called by its name. */
export const systemProgram = (called: string, reached: ReadonlyArray<string>): string | undefined => {
  if (!called.includes("/")) return undefined
  return reached.map((path) => systemPath.exec(normalise(path))?.[1]).find((name) => name !== undefined)
}

/** What a program does, and that it is known too of the program that a file is called like, which may be that one. */
export const knownDoes = (called: string, args: ReadonlyArray<Literal>): Step | Unread => {
  const done = programDoes(called, args)
  const namesake = namesakeDoes(called, args)
  return isUnread(done) || namesake === undefined || !isUnread(namesake) ? done : namesake
}

/** What the program does that a file is called like, which may be that program. */
const namesakeDoes = (called: string, args: ReadonlyArray<Literal>): Launched | Step | Unread | undefined => {
  const name = commandName(called)
  if (name === called || !(projectPrograms.has(name) || interpreterOf(name) !== undefined)) return undefined
  return launched(name, args) ?? programDoes(name, args)
}

/** Whether a normalised path is that of a program of the system. */
export const isSystemProgram = (path: string): boolean => systemPath.test(path)
