import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as path from "node:path"
import { Configuration } from "../config/Configuration.ts"
import { directories } from "../config/Home.ts"
import * as redaction from "../host/redaction.ts"
import * as Stores from "../host/Stores.ts"
import { Surroundings } from "../host/Surroundings.ts"
import type { NamedFormat } from "../import/detect.ts"
import * as Import from "../import/Import.ts"
import { standardInput, textOf } from "../import/ImportFile.ts"
import { ImportRefused } from "../import/ImportProblem.ts"
import { resolve } from "../policy/path/PhysicalPath.ts"
import { protectedVerdict } from "../policy/path/Protected.ts"
import { oneLine, visibleLine } from "../text/visible.ts"
import { many } from "../ui/Words.ts"
import { place } from "./here.ts"
import { Screen } from "./terminal/Screen.ts"

export interface ImportOptions {
  readonly file: string
  readonly format: Option.Option<NamedFormat>
  readonly json: boolean
}

/** Where a file leads; one that holds secrets is not read, nor one that a link passes off as another. */
const readable = (file: string) =>
  Effect.gen(function* () {
    const { directory } = yield* Surroundings
    const { home } = yield* Configuration
    const shown = oneLine(file)
    const lexical = path.resolve(directory, file)
    const found = resolve(lexical)
    if (Either.isLeft(found)) return yield* new ImportRefused({ file: shown, problem: found.left.reason })
    const physical = found.right.path
    if (found.right.kind === "missing") return yield* new ImportRefused({ file: shown, problem: "it does not exist" })
    const context = { cwd: directory, roots: [], home: home.user, trusted: false, stateDirs: directories(home) }
    const verdict = protectedVerdict(physical, "see", context)
    const disguised = verdict !== undefined && protectedVerdict(lexical, "see", context) === undefined
    if (verdict?.decision === "deny" || disguised) {
      return yield* new ImportRefused({ file: shown, problem: `${oneLine(physical)} is protected: ${verdict.reason}` })
    }
    return textOf(shown, physical)
  })

const names = {
  json: "JSON",
  markdown: "Markdown",
  html: "HTML",
  messages: "messages of OpenAI",
  "claude-code": "Claude Code",
  codex: "Codex"
}

/** What standard input is called, here and by the system. */
const standardInputs: ReadonlyArray<string> = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]

export const isStandardInput = (file: string): boolean => standardInputs.includes(file)

/** Stores the conversation of a file as a session of this project. */
export const importSession = ({ file, format, json }: ImportOptions) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const target = yield* place
    const isPiped = isStandardInput(file)
    const text = isPiped ? standardInput(process.stdin) : yield* readable(file)
    const shown = isPiped ? "standard input" : oneLine(file)
    const drafted = yield* Import.read(shown, text, Option.getOrUndefined(format))
    const imported = yield* Effect.provide(Import.store(drafted, target), redaction.layerHere).pipe(
      Effect.provide(Stores.sessions)
    )
    if (json) return yield* answer(`${JSON.stringify(imported)}\n`)
    const { messages, session, warnings } = imported
    const rows = [
      `${style.green("✓")} ${session}: ${many(messages, "message")} from ${names[imported.format]}, as data; nothing of it runs`,
      ...warnings.map((warning) => `${style.yellow("!")} ${visibleLine(warning)}`),
      style.dim(`tollgate --session ${session} goes on with it`)
    ]
    yield* answer(rows.map((row) => `${row}\n`).join(""))
  }).pipe(Effect.provide(Screen.layer({ split: false })), Effect.provide(Configuration.layer()))
