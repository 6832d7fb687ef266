import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ProjectFile from "../config/ProjectFile.ts"
import { Trust } from "../config/Trust.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { makeVisible } from "../text/visible.ts"
import { Ui } from "../ui/Ui.ts"
import { project } from "./Project.ts"

/** What the project of the working directory configures, as far as the user trusts it. */
export interface ProjectConfig {
  readonly project: string
  readonly file: Option.Option<ProjectFile.ProjectFile>
  /** What the user has accepted. */
  readonly accepted: Option.Option<string>
  /** The user has accepted the file as it is now. */
  readonly trusted: boolean
  /** The user has accepted it as it was. */
  readonly changed: boolean
  /** Empty unless it is trusted. */
  readonly settings: ProjectFile.ProjectSettings
}

const nothing = { file: Option.none(), accepted: Option.none(), trusted: false, changed: false, settings: {} }

const read = (trust: Trust["Type"]): Effect.Effect<ProjectConfig, DatabaseError> =>
  Effect.gen(function* () {
    const here = yield* project
    const file = yield* ProjectFile.read(here)
    if (Option.isNone(file)) return { ...nothing, project: here }
    const { settings } = file.value
    const accepted = Option.map(yield* trust.find(here), ({ digest }) => digest)
    const trusted = Option.exists(accepted, (digest) => ProjectFile.isAccepted(file.value, digest))
    return {
      project: here,
      file,
      accepted,
      trusted,
      changed: Option.isSome(accepted) && !trusted,
      settings: trusted ? Either.getOrElse(settings, () => ({})) : {}
    }
  })

const known = new WeakMap<Trust["Type"], Effect.Effect<ProjectConfig, DatabaseError>>()

/** Read once for each opening of what the user trusts, so that all who ask see the same. */
export const projectConfig: Effect.Effect<ProjectConfig, DatabaseError, Trust> = Effect.flatMap(Trust, (trust) => {
  const found = known.get(trust)
  if (found !== undefined) return found
  return Effect.flatMap(Effect.cached(read(trust)), (cached) => {
    known.set(trust, cached)
    return cached
  })
})

/** Says so where the project brings something that does not count. */
export const warn: Effect.Effect<void, DatabaseError, Trust | Ui> = Effect.flatMap(projectConfig, (found) => {
  const text = distrust(found)
  return text === undefined
    ? Effect.void
    : Effect.flatMap(Ui, (ui) => ui.display({ _tag: "Note", level: "warning", text }))
})

/** Why the file of the project does not count, where it does not. */
export const distrust = ({ changed, file, trusted }: ProjectConfig): string | undefined =>
  Option.isNone(file) || trusted
    ? undefined
    : `${makeVisible(file.value.file)} ${changed ? "has changed since it was trusted" : "is not trusted"}: its hooks and rules do not count. tollgate trust shows them.`
