import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { NamedWorkers } from "../agent/NamedWorker.ts"
import { Rule } from "../approval/Rule.ts"
import { type ProjectServers, projectServers } from "../mcp/ForeignServers.ts"
import { unmarked } from "../text/byteOrderMark.ts"
import { repeatedName } from "../text/Json.ts"
import { CommandHook } from "../tool/CommandHook.ts"
import { systemReason } from "../system/errno.ts"
import * as CommandFiles from "./CommandFiles.ts"
import { ConfigInvalid } from "./ConfigError.ts"
import * as ProgramFiles from "../process/ProgramFiles.ts"
import { invalid } from "./Problems.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** A rule in the file of a project, which cannot name another level. */
const ProjectRule = Schema.Struct({
  ...Rule.fields,
  level: Schema.optionalWith(Schema.Literal("project"), { exact: true, default: () => "project" as const })
})

/** What a project may configure, once the user trusts it. */
export const ProjectSettings = Schema.Struct({
  /** Inside those of the user. */
  hooks: optional(Schema.Array(CommandHook)),
  /** One that the user has as well is the user's. */
  workers: optional(NamedWorkers),
  approvals: optional(Schema.Struct({ rules: optional(Schema.Array(ProjectRule)) }))
})
export type ProjectSettings = typeof ProjectSettings.Type

/** The configuration that a project brings along. */
export interface ProjectFile {
  readonly file: string
  /** The directory that it is for. */
  readonly project: string
  /** SHA-256 of its text, of the files that its hooks are known to run, and of its commands, in hexadecimal; trust is bound to it. */
  readonly digest: string
  /** The files that its hooks are known to run; a change of any ends trust. */
  readonly hookFiles: ReadonlyArray<string>
  /** Its hooks may run files of the project that cannot be listed beforehand. */
  readonly open: boolean
  /** Slash commands beside the file. */
  readonly commands: CommandFiles.CommandFiles
  /** The MCP servers of its `.mcp.json`, which is another file. */
  readonly servers: ProjectServers & { readonly text: string }
  /** Empty where the project has commands or servers alone. */
  readonly text: string
  readonly settings: Either.Either<ProjectSettings, ConfigInvalid>
}

/** Bytes; a larger file is not read and cannot be trusted. */
const maxSize = 256 * 1024

export const fileOf = (project: string): string => path.join(project, ".tollgate", "config.json")

/** The file in which other programs have the MCP servers of a project as well. */
export const serversFileOf = (project: string): string => path.join(project, ".mcp.json")

const noServers = { servers: [], problems: [], text: "" }

const decode = Schema.decodeUnknownEither(Schema.parseJson(ProjectSettings), {
  onExcessProperty: "error",
  errors: "all"
})

/** The settings, if their text says each name once: of two, a person may have read the one that does not count. */
const unambiguous = (
  file: string,
  text: string,
  all: ProjectSettings
): Either.Either<ProjectSettings, ConfigInvalid> => {
  const key = repeatedName(text)
  return key === undefined
    ? Either.right(all)
    : Either.left(
        new ConfigInvalid({ problems: [{ source: file, key, problem: "it appears twice in one object", mend: [] }] })
      )
}

/** What the hooks run, or why it cannot be told. */
const followed = (
  project: string,
  file: string,
  settings: Either.Either<ProjectSettings, ConfigInvalid>
): Either.Either<ProgramFiles.ProgramFiles, ConfigInvalid> => {
  const { hooks = [] } = Either.getOrElse(settings, (): ProjectSettings => ({}))
  return Either.try({
    try: () =>
      ProgramFiles.follow(
        project,
        hooks.map(({ command }) => command)
      ),
    catch: (error) =>
      new ConfigInvalid({ problems: [{ source: file, key: "hooks", problem: systemReason(error), mend: [] }] })
  })
}

/** The text of a file, or why it is not read; nothing where there is no file. */
const textOf = (file: string): Either.Either<string, string> | undefined => {
  try {
    const found = fs.statSync(file, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    if (!found.isFile()) return Either.left("is no regular file and was not read")
    return found.size > maxSize
      ? Either.left(`has more than ${maxSize / 1024} KiB and was not read`)
      : Either.right(unmarked(fs.readFileSync(file, "utf8")))
  } catch (error) {
    return Either.left(`cannot be read: ${systemReason(error)}`)
  }
}

const settingsOf = (file: string, text: string): Either.Either<ProjectSettings, ConfigInvalid> =>
  Either.flatMap(
    Either.mapLeft(decode(text), (error) => invalid(file, error)),
    (all) => unambiguous(file, text, all)
  )

const unread = (file: string, why: string): ConfigInvalid =>
  new ConfigInvalid({ problems: [{ source: file, key: "the file", problem: `it ${why}`, mend: [] }] })

const serversOf = (listed: Either.Either<string, string> | undefined): ProjectFile["servers"] =>
  listed === undefined
    ? noServers
    : Either.match(listed, {
        onLeft: (why) => ({ ...noServers, problems: [`.mcp.json ${why}`] }),
        onRight: (text) => ({ ...projectServers(text), text })
      })

/** What a project brings; none where it has neither commands nor servers nor a file. */
export const read = (project: string): Effect.Effect<Option.Option<ProjectFile>> =>
  Effect.sync(() => {
    const file = fileOf(project)
    const commands = CommandFiles.read(CommandFiles.below(file))
    const written = textOf(file)
    const listed = textOf(serversFileOf(project))
    if (written === undefined && commands.digest === undefined && listed === undefined) return Option.none()
    const text = written === undefined ? "" : Either.getOrElse(written, () => "")
    const settings =
      written === undefined
        ? Either.right({})
        : Either.flatMap(
            Either.mapLeft(written, (why) => unread(file, why)),
            (all) => settingsOf(file, all)
          )
    const digest = crypto.createHash("sha256").update(text)
    if (written !== undefined && Either.isLeft(written)) digest.update(`\0unread: it ${written.left}`)
    const hooks = followed(project, file, settings)
    if (Either.isRight(hooks)) digest.update(`\0${hooks.right.digest}`)
    if (commands.digest !== undefined) digest.update(`\0commands ${commands.digest}`)
    if (listed !== undefined) digest.update(`\0servers ${Either.merge(listed)}`)
    return Option.some({
      file,
      project,
      digest: digest.digest("hex"),
      hookFiles: Either.match(hooks, { onLeft: () => [], onRight: ({ files }) => files }),
      open: Either.isRight(hooks) && hooks.right.open,
      commands,
      servers: serversOf(listed),
      text,
      settings: Either.flatMap(settings, (all) => Either.map(hooks, () => all))
    })
  })

/** What the user accepts by trusting the file: its digest and, where its hooks may run anything, the state of the project. */
export const acceptance = ({ digest, open, project }: ProjectFile): string =>
  open ? `${digest}.${ProgramFiles.state(project) ?? "unknown"}` : digest

/** Whether the file is what was accepted. */
export const isAccepted = ({ digest }: ProjectFile, accepted: string): boolean => accepted.split(".", 1)[0] === digest

/** Whether nothing that its hooks may run has changed since it was accepted. */
export const isUnchanged = (file: ProjectFile, accepted: string): boolean =>
  isAccepted(file, accepted) && (!file.open || ProgramFiles.state(file.project) === accepted.split(".")[1])
