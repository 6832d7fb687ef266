import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { excerpt } from "../../tool/Excerpt.ts"
import type { Spill } from "../../tool/Spill.ts"
import type { CallResult } from "../ServerResult.ts"

export interface Bounds {
  /** Bytes of the text and the data of a result. */
  readonly longest: number
  readonly session: string
  readonly spill: Spill["Type"]
}

/**
 * A result no longer than its client takes: what is left out of it is said, and where the whole is. A client that was promised data and
 * does not get it, or that cannot get the rest, has an error.
 */
export const bound = (result: CallResult, { longest, session, spill }: Bounds): Effect.Effect<CallResult> =>
  Effect.gen(function* () {
    const { content, structuredContent } = result
    if (!Array.isArray(content)) return result
    const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
    const data = structuredContent === undefined ? "" : JSON.stringify(structuredContent)
    const total = Buffer.byteLength(text) + Buffer.byteLength(data)
    if (total <= longest) return result
    const kept = yield* Effect.either(
      spill.keep({ session, tool: "result", text: [text, data].filter((part) => part !== "").join("\n\n") })
    )
    const where = Either.match(kept, {
      onLeft: ({ message }) => `the rest is lost. ${message}`,
      onRight: (path) => `the whole is in ${path}`
    })
    const shown = text === "" ? data : text
    const { head, tail } = excerpt(shown, longest) ?? { head: shown, tail: "" }
    const dropped = total - Buffer.byteLength(head) - Buffer.byteLength(tail)
    const what = data === "" ? "" : text === "" ? " of structured content" : ", all structured content among them,"
    const said = `${head}\n[… ${dropped} of ${total} bytes${what} left out; ${where} …]\n${tail}`
    const isError = result.isError === true || data !== "" || Either.isLeft(kept)
    return {
      content: [{ type: "text", text: said }, ...content.filter(({ type }) => type !== "text")],
      ...(isError ? { isError } : {})
    }
  })
