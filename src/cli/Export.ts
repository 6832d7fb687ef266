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
import { UsageError } from "./Outcome.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import { Screen } from "./terminal/Screen.ts"
import { named as sessionNamed } from "./SessionId.ts"
import { oneLine } from "../text/visible.ts"

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

/** The format that the name of a file says, if it says any; fails where it says one that is not known. */
export const formatBy = (file: string): Effect.Effect<Option.Option<ExportFormat>, UsageError> => {
  const ending = path.extname(file)
  const format = endings.find(([, one]) => ending.toLowerCase() === `.${one}`)?.[0]
  if (format !== undefined || ending === "") return Effect.succeed(Option.fromNullable(format))
  const known = endings.map(([, one]) => `.${one}`)
  return new UsageError({
    reason: `${oneLine(path.basename(file))}: no format has the extension ${oneLine(ending)}. Use ${known.slice(0, -1).join(", ")} or ${known.at(-1)}, or name the format.`
  })
}

export const extensionOf = (format: ExportFormat): string => extensions[format]

/** Secrets of the environment do not leave either. */
const redacted = Effect.provide(redaction.layerHere)

/** Writes a session into a file. */
export const toFile = (
  session: string,
  format: ExportFormat,
  file: string,
  { force, omitted = {} }: { readonly force?: boolean; readonly omitted?: Omissions } = {}
) =>
  Effect.mapError(
    redacted(
      Effect.flatMap(exported(session, format, omitted), (text) => ExportFile.write(file, text, force ?? false))
    ),
    (error) =>
      error._tag === "ExportRefused" && error.reason === ExportFile.exists
        ? new UsageError({
            // At the prompt there are no options.
            reason: `${oneLine(file)} already exists; name another file${force === undefined ? "" : ", or use --force"}.`
          })
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
    const named = Option.isSome(given.format) || Option.isNone(file) ? given.format : yield* formatBy(file.value)
    const format = Option.getOrElse(named, () => "json" as const)
    const session = yield* sessionNamed(given.session)
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
