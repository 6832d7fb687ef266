import * as Either from "effect/Either"
import * as fs from "node:fs"
import * as path from "node:path"
import { follow } from "../process/ProgramFiles.ts"
import { isProgram, type KnownServer } from "./KnownServer.ts"
import { programOf } from "./ownProgram.ts"
import type { Pins } from "./Pins.ts"

/** The files of a project that a server runs. */
export interface ProgramState {
  readonly stamp: string
  readonly files: ReadonlyArray<string>
}

/** The program alone, where it runs too much to be looked at: by the time at which the system saw it change. */
const alone = (file: string): ProgramState => {
  const { ctimeMs, ino, size } = fs.statSync(file)
  return { stamp: `${ino} ${size} ${ctimeMs}`, files: [file] }
}

/**
 * The state of the program of a server, where it lies in the project; nothing where it lies elsewhere. An agent writes in the project, so
 * the program that was approved counts as it was then.
 */
export const programIn = (project: string, { server }: Pick<KnownServer, "server">): ProgramState | undefined => {
  const program = isProgram(server) ? programOf(server.command) : undefined
  const file = program === undefined ? "" : path.resolve(project, program.at(-1) ?? "")
  if (program === undefined || !file.startsWith(`${project}${path.sep}`) || !fs.existsSync(file)) return undefined
  return Either.match(
    Either.try(() => follow(project, [program])),
    {
      onLeft: () => alone(file),
      onRight: ({ digest, files }) => ({ stamp: digest, files })
    }
  )
}

/** What stands for that program; nothing where there is none. */
export const stampIn = (project: string, known: Pick<KnownServer, "server">): string | undefined =>
  programIn(project, known)?.stamp

/** Whether what a server runs in a project is what was approved of it there. */
export const isUnchanged = (pins: Pins, project: string, known: Pick<KnownServer, "server">): boolean =>
  pins.programs?.[project] === stampIn(project, known)
