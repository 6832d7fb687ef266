import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, ProjectGone } from "../runtime/Projects.ts"
import { errnoOf, systemReason } from "../system/errno.ts"
import { projectOf } from "./projectOf.ts"

const reasonOf = (error: unknown): string => (errnoOf(error) === "ENOENT" ? "it does not exist" : systemReason(error))

/** Where a directory leads, which has to be there. */
const physical = (directory: string): Effect.Effect<string, ProjectGone> => {
  const gone = (reason: string) => new ProjectGone({ directory, reason })
  return path.isAbsolute(directory)
    ? Effect.filterOrFail(
        Effect.try({ try: () => fs.realpathSync(directory), catch: (error) => gone(reasonOf(error)) }),
        (found) => fs.statSync(found, { throwIfNoEntry: false })?.isDirectory() === true,
        () => gone("it is not a directory")
      )
    : gone("it is not an absolute path")
}

/** The place that a directory is: two names of one directory are one place. */
export const locate = (directory: string): Effect.Effect<Place, ProjectGone> =>
  Effect.map(physical(directory), (found) => ({ project: projectOf(found), directory: found }))

/** Fails where a place is no longer what it was: a link in its stead would lead its tools elsewhere. */
export const revisit = (place: Place): Effect.Effect<Place, ProjectGone> =>
  Effect.flatMap(physical(place.directory), (found) =>
    found === place.directory
      ? Effect.succeed(place)
      : new ProjectGone({ directory: place.directory, reason: `it leads to ${found} now` })
  )
