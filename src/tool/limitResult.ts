import * as Effect from "effect/Effect"
import { isCut } from "../process/Capture.ts"
import type { Middleware } from "../middleware/Middleware.ts"
import { named } from "../middleware/Step.ts"
import { excerpt, type Excerpt } from "./Excerpt.ts"
import type { Spill } from "./Spill.ts"
import { wholeNumber } from "../system/wholeNumber.ts"
import type * as Tool from "./Tool.ts"
import type { ToolCall } from "./ToolCall.ts"
import { ToolResult } from "./ToolResult.ts"

export interface ResultLimit {
  /** Bytes of UTF-8 for tools that declare no limit. Default: unlimited. */
  readonly bytes?: number
  /** Keeps the full result. Default: nowhere. */
  readonly spill?: Spill["Type"]
}

/** Bytes that hold for a tool; undefined for one that bounds itself. */
export const resultLimitOf = (tool: Tool.Any, limit: ResultLimit | undefined): number | undefined => {
  const { bytes: usual = Infinity } = limit ?? {}
  const bytes = tool.resultLimit ?? wholeNumber("resultLimit: bytes", usual, { least: 0, orInfinite: true })
  return bytes === 0 || bytes === Infinity ? undefined : bytes
}

/** A whole number in groups of three digits; what `Intl` loads for it would be felt in every start. */
const grouped = (number: number): string => String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ",")

/** `whole` says whether the text that was cut here was all there ever was. */
const marker = (
  { droppedBytes, droppedLines, totalBytes }: Excerpt,
  path: string | undefined,
  whole: boolean
): string => {
  const lines = droppedLines === 0 ? "" : ` (${grouped(droppedLines)} lines)`
  const where =
    path === undefined
      ? ""
      : `; ${whole ? "the whole" : "what was kept of the output"} is in ${path}, read it with read_file`
  return `\n[… ${grouped(droppedBytes)} of ${grouped(totalBytes)} bytes${lines} left out${where} …]\n`
}

/**
 * Cuts the text of a result that is longer than the limit, keeps both ends and marks the gap; the whole is kept where
 * the model can page through it. The value is not cut. The marker is not counted.
 */
export const limitResult = (bytes: number, spill?: Spill["Type"]): Middleware<ToolCall> => {
  const kept = (call: ToolCall, text: string): Effect.Effect<string | undefined> =>
    spill === undefined
      ? Effect.succeed(undefined)
      : Effect.catchAll(spill.keep({ session: call.sessionId, tool: call.name, text }), (error) =>
          Effect.as(Effect.logWarning(error.message), undefined)
        )
  const limited = <A>(call: ToolCall, result: A): Effect.Effect<A> => {
    if (!(result instanceof ToolResult)) return Effect.succeed(result)
    const cut = excerpt(result.text, bytes)
    if (cut === undefined) return Effect.succeed(result)
    return Effect.map(
      kept(call, result.text),
      // A result with another text is a result still.
      (path) => result.withText(`${cut.head}${marker(cut, path, !isCut(result.text))}${cut.tail}`) as A & ToolResult
    )
  }
  return named<ToolCall>("result limit", `${grouped(bytes)} bytes`, (call, next) =>
    Effect.flatMap(next(call), (result) => limited(call, result))
  )
}
