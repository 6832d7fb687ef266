import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Rule } from "../approval/Rule.ts"
import { CommandHook } from "../tool/CommandHook.ts"
import type { ConfigInvalid } from "./ConfigError.ts"
import { invalid } from "./Problems.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** A rule in the file of a project; its level is not its own to say. */
const ProjectRule = Schema.transform(Rule.pipe(Schema.omit("level")), Schema.typeSchema(Rule), {
  strict: true,
  decode: (rule) => ({ ...rule, level: "project" as const }),
  encode: Struct.omit("level")
})

/** What a project may configure, once the user trusts it. */
export const ProjectSettings = Schema.Struct({
  /** Inside those of the user. */
  hooks: optional(Schema.Array(CommandHook)),
  approvals: optional(Schema.Struct({ rules: optional(Schema.Array(ProjectRule)) }))
})
export type ProjectSettings = typeof ProjectSettings.Type

/** The configuration that a project brings along. */
export interface ProjectFile {
  readonly file: string
  /** SHA-256 of its bytes and of the project's programs that its hooks run, in hexadecimal; trust is bound to it. */
  readonly digest: string
  readonly text: string
  readonly settings: Either.Either<ProjectSettings, ConfigInvalid>
}

/** Bytes; a file that is larger is nobody's to read and trust. */
const maxSize = 256 * 1024

export const fileOf = (project: string): string => path.join(project, ".tollgate", "config.json")

const decode = Schema.decodeUnknownEither(Schema.parseJson(ProjectSettings), {
  onExcessProperty: "error",
  errors: "all"
})

/** Bytes of a program; a project that names a larger one cannot be trusted. */
const maxProgram = 4 * 1024 * 1024

/** The files of the project that commands of its hooks name, from its top or from where they would run. */
const programsOf = (
  project: string,
  settings: Either.Either<ProjectSettings, ConfigInvalid>
): ReadonlyArray<string> => {
  const { hooks = [] } = Either.getOrElse(settings, (): ProjectSettings => ({}))
  const named = hooks.flatMap(({ command }) =>
    command.flatMap((word) => [path.resolve(project, word), path.resolve(word)])
  )
  return [...new Set(named)].filter((file) => {
    const found = fs.statSync(file, { throwIfNoEntry: false })
    if (found?.isFile() !== true || !file.startsWith(`${project}${path.sep}`)) return false
    if (found.size > maxProgram) throw new Error(`${file} is larger than ${maxProgram} bytes`)
    return true
  })
}

/** The file of a project; none where it has none that can be read as a file. */
export const read = (project: string): Effect.Effect<Option.Option<ProjectFile>> =>
  Effect.try(() => {
    const file = fileOf(project)
    const found = fs.statSync(file, { throwIfNoEntry: false })
    if (found?.isFile() !== true || found.size > maxSize) return Option.none()
    const bytes = fs.readFileSync(file)
    const text = bytes.toString("utf8")
    const settings = Either.mapLeft(decode(text), (error) => invalid(file, error))
    const digest = crypto.createHash("sha256").update(bytes)
    for (const program of programsOf(project, settings))
      digest.update(`\0${program}\0`).update(fs.readFileSync(program))
    return Option.some({ file, digest: digest.digest("hex"), text, settings })
  }).pipe(Effect.orElseSucceed(() => Option.none()))
