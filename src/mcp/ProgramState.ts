import * as Either from "effect/Either"
import { systemReason } from "../system/errno.ts"
import { type ProgramFiles, follow } from "../process/ProgramFiles.ts"
import type { Pins } from "./Pins.ts"
import { isProgram, type KnownServer } from "./KnownServer.ts"

/**
 * The files of a project that a server runs, or why they cannot be looked at; none where its program lies elsewhere. An agent writes in
 * the project, so the program that was approved counts as it was then.
 */
export const filesIn = (
  project: string,
  { server }: Pick<KnownServer, "server">
): Either.Either<ProgramFiles | undefined, string> =>
  isProgram(server)
    ? Either.map(
        Either.try({ try: () => follow(project, [server.command]), catch: (error) => systemReason(error) }),
        (found) => (found.files.length === 0 ? undefined : found)
      )
    : Either.right(undefined)

/** Whether what a server runs in a project is what was approved of it there. */
export const isUnchanged = (pins: Pins, project: string, known: Pick<KnownServer, "server">): boolean =>
  pins.programs?.[project] === stampIn(project, known)

/** What stands for those files; nothing where there are none. */
export const stampIn = (project: string, known: Pick<KnownServer, "server">): string | undefined =>
  Either.match(filesIn(project, known), { onLeft: () => "", onRight: (found) => found?.digest })
