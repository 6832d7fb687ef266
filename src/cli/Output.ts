import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { TerminalEvent } from "../runtime/Event.ts"
import { visibleJson } from "../text/visible.ts"
import { type JsonOptions, oneOf } from "./jsonOutput.ts"
import { UsageError } from "./Outcome.ts"

/** How the output is written: for a person, as one document at the end, or as a line for each event. */
export type Output = "text" | "json" | "jsonl"

export interface OutputOptions extends JsonOptions {
  readonly inputFormat: "text" | "jsonl"
  readonly outputFormat: Option.Option<Output>
}

/** What the options say of the output. */
export const outputOf = (options: JsonOptions & Partial<OutputOptions>): Effect.Effect<Output, UsageError> =>
  Effect.gen(function* () {
    yield* oneOf(options)
    const { inputFormat = "text", json, jsonl, outputFormat = Option.none() } = options
    const short = json ? "json" : jsonl ? "jsonl" : undefined
    const named = Option.getOrUndefined(outputFormat)
    if (short !== undefined && named !== undefined && short !== named) {
      return yield* new UsageError({ reason: `--${short} and --output-format ${named} cannot be combined.` })
    }
    const output = named ?? short
    if (inputFormat === "text") return output ?? "text"
    if (output !== undefined && output !== "jsonl") {
      return yield* new UsageError({ reason: "--input-format jsonl needs --output-format jsonl." })
    }
    return "jsonl"
  })

/** Whether a person reads the output. */
export const isText = ({ inputFormat, json, jsonl, outputFormat }: OutputOptions): boolean =>
  !json && !jsonl && inputFormat === "text" && Option.getOrElse(outputFormat, () => "text") === "text"

/** What came of a task, as one document. */
export const resultOf = (session: string, task: string | undefined, end: TerminalEvent | undefined): string => {
  const { _tag, ...said } = end ?? { _tag: "Stopped" as const }
  const outcome = {
    TaskCompleted: "completed",
    TaskFailed: "failed",
    TaskInterrupted: "interrupted",
    Stopped: "stopped"
  }
  return `${visibleJson(JSON.stringify({ session, ...(task === undefined ? {} : { task }), outcome: outcome[_tag], ...said }))}\n`
}
