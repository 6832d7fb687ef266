import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as path from "node:path"
import { pathTest, type Rule } from "../approval/Rule.ts"
import * as ProjectFile from "../config/ProjectFile.ts"
import type { Settings } from "../config/Settings.ts"
import { Trust } from "../config/Trust.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { Place } from "../runtime/Projects.ts"

/** What a project configures, as far as the user trusts it. */
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

/** What a project configures now. */
export const read = (project: string): Effect.Effect<ProjectConfig, DatabaseError, Trust> =>
  Effect.gen(function* () {
    const file = yield* ProjectFile.read(project)
    if (Option.isNone(file)) {
      return { project, file, accepted: Option.none(), trusted: false, changed: false, settings: {} }
    }
    const { settings } = file.value
    const accepted = Option.map(yield* (yield* Trust).find(project), ({ digest }) => digest)
    const trusted = Option.exists(accepted, (digest) => ProjectFile.isAccepted(file.value, digest))
    return {
      project,
      file,
      accepted,
      trusted,
      changed: Option.isSome(accepted) && !trusted,
      settings: trusted ? Either.getOrElse(settings, () => ({})) : {}
    }
  })

/** Says what the configuration is made of: as long as it is the same, so is what is made from it. */
export const stampOf = ({ accepted, file }: ProjectConfig): string =>
  JSON.stringify([Option.getOrNull(Option.map(file, ({ digest }) => digest)), Option.getOrNull(accepted)])

/** A written rule as it counts in a place: its path starts at the project, also where the tools work below that. */
export const rooted =
  ({ directory, project }: Place) =>
  (rule: Rule): Rule =>
    directory === project ||
    rule.path === undefined ||
    rule.path.startsWith("/") ||
    Either.isLeft(pathTest(rule.path, project))
      ? rule
      : { ...rule, path: path.posix.join(project, rule.path) }

/** The rules that are written down, those of a trusted project included, as they count in a place. */
export const rulesOf = (
  { settings: project, trusted }: ProjectConfig,
  { approvals }: Settings,
  place: Place
): { readonly rules: ReadonlyArray<Rule>; readonly trusted: boolean } => ({
  rules: [...(approvals?.rules ?? []), ...(project.approvals?.rules ?? [])].map(rooted(place)),
  trusted
})
