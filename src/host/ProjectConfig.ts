import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Rule } from "../approval/Rule.ts"
import * as ProjectFile from "../config/ProjectFile.ts"
import type { Settings } from "../config/Settings.ts"
import { Trust } from "../config/Trust.ts"
import type { KnownServer } from "../mcp/KnownServer.ts"
import { isSameName } from "../mcp/McpServer.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { Place } from "../runtime/Projects.ts"
import { rooted } from "./rootedRule.ts"

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

/** The MCP servers of the user, and those of a trusted project whose names the user has not taken. */
export const serversOf = ({ file, trusted }: ProjectConfig, { mcp }: Settings): ReadonlyArray<KnownServer> => {
  const own = Object.entries(mcp?.servers ?? {}).map(([name, server]): KnownServer => ({
    name,
    server,
    origin: "user",
    given: {}
  }))
  const brought = trusted && Option.isSome(file) ? file.value.servers.servers : []
  return [...own, ...brought.filter(({ name }) => !own.some((one) => isSameName(one.name, name)))]
}

/** The rules that are written down. */
export interface WrittenRules {
  readonly rules: ReadonlyArray<Rule>
  readonly trusted: boolean
}

/**
 * Gives the rules that are written down, those of a trusted project included, as they count in a place: the same ones for as long as
 * the configuration is the same, so that nobody makes them ready anew for each task.
 */
export const rulesIn = ({ approvals }: Settings, place: Place): ((config: ProjectConfig) => WrittenRules) => {
  let last: { readonly of: string; readonly written: WrittenRules } | undefined
  return (config) => {
    const { settings: project, trusted } = config
    const of = `${stampOf(config)} ${trusted}`
    if (last?.of !== of) {
      const rules = [...(approvals?.rules ?? []), ...(project.approvals?.rules ?? [])].map(rooted(place))
      last = { of, written: { rules, trusted } }
    }
    return last.written
  }
}
