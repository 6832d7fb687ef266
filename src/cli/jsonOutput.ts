import * as Effect from "effect/Effect"
import { UsageError } from "./Outcome.ts"
import { Screen } from "./terminal/Screen.ts"

/** How a program wants the output. */
export interface JsonOptions {
  /** One JSON document. */
  readonly json: boolean
  /** One JSON document per line, each as soon as it is there. */
  readonly jsonl: boolean
}

/** Fails where both are asked for. */
export const oneOf = ({ json, jsonl }: JsonOptions): Effect.Effect<void, UsageError> =>
  json && jsonl ? new UsageError({ reason: "--json and --jsonl cannot be combined." }) : Effect.void

/** Fails where a document is wanted and somebody would have to be asked first. */
export const unasked = (json: boolean, goesOn: boolean, instead: string): Effect.Effect<void, UsageError> =>
  json && !goesOn ? new UsageError({ reason: `--json asks nothing: say ${instead} as well.` }) : Effect.void

/** The answer as one JSON document. */
export const document = (fields: object) =>
  Effect.flatMap(Screen, ({ answer }) => answer(`${JSON.stringify(fields)}\n`))

/** Records, each a JSON text, as one array or a line each. */
export const render = (records: ReadonlyArray<string>, { json }: Pick<JsonOptions, "json">): string =>
  json ? (records.length === 0 ? "[]\n" : `[\n${records.join(",\n")}\n]\n`) : records.map((one) => `${one}\n`).join("")
