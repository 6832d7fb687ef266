import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as path from "node:path"
import type { Omissions } from "../export/Document.ts"
import { exported, type ExportFormat, extensions } from "../export/Export.ts"
import * as ExportFile from "../export/ExportFile.ts"
import * as redaction from "../host/redaction.ts"
import * as Stores from "../host/Stores.ts"
import { Surroundings } from "../host/Surroundings.ts"
import { oneLine } from "./KnownRules.ts"
import { UsageError } from "./Outcome.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import { Screen } from "./terminal/Screen.ts"
import { named } from "./SessionId.ts"

export interface ExportOptions {
  readonly session: Option.Option<string>
  readonly format: Option.Option<ExportFormat>
  readonly output: Option.Option<string>
  readonly force: boolean
  readonly withoutSystem: boolean
  readonly withoutCalls: boolean
  readonly withoutMetadata: boolean
}

const endings = Object.entries(extensions) as ReadonlyArray<[ExportFormat, string]>

/** The format that the name of a file says. */
export const formatOf = (file: string): ExportFormat | undefined =>
  endings.find(([, ending]) => path.extname(file).toLowerCase() === `.${ending}`)?.[0]

export const extensionOf = (format: ExportFormat): string => extensions[format]

/** Secrets of the environment do not leave either. */
const redacted = Effect.provide(redaction.layerHere)

/** Writes a session into a file. */
export const toFile = (
  session: string,
  format: ExportFormat,
  file: string,
  { force = false, omitted = {} }: { readonly force?: boolean; readonly omitted?: Omissions } = {}
) =>
  Effect.mapError(
    redacted(Effect.flatMap(exported(session, format, omitted), (text) => ExportFile.write(file, text, force))),
    (error) =>
      error._tag === "ExportRefused" && error.reason === ExportFile.exists
        ? new UsageError({ reason: `${oneLine(file)} already exists; name another file, or use --force.` })
        : error
  )

/** Writes a session as a document, to a file or to standard output. */
export const exportSession = (given: ExportOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { directory } = yield* Surroundings
    const omitted = { system: given.withoutSystem, calls: given.withoutCalls, metadata: given.withoutMetadata }
    const output = Option.filter(given.output, (name) => name !== "-")
    const file = Option.map(output, (name) => path.resolve(directory, name))
    const byName = Option.flatMap(file, (name) => Option.fromNullable(formatOf(name)))
    const format = Option.getOrElse(
      Option.orElse(given.format, () => byName),
      () => "json" as const
    )
    const session = yield* named(given.session)
    if (Option.isSome(file)) {
      yield* toFile(session, format, file.value, { force: given.force, omitted })
      return yield* screen.progress(`${oneLine(file.value)}: ${session}, ${format}\n`)
    }
    yield* redacted(
      Effect.flatMap(exported(session, format, omitted), (text) => Stream.runForEach(text, screen.answer))
    )
  }).pipe(
    Effect.provide(Stores.sessions),
    Effect.provide(Screen.layer({ split: true })),
    Effect.provide(ReadOnlyHome.reading)
  )
