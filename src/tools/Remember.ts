import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { maxText, Memory } from "../memory/Memory.ts"
import { MemoryScope } from "../memory/MemoryEntry.ts"
import { MemoryFailed, MemoryRefused } from "../memory/MemoryError.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { makeVisible } from "../text/visible.ts"
import * as Tool from "../tool/Tool.ts"
import { unifiedDiff } from "./files/UnifiedDiff.ts"
import { optional } from "./Parameter.ts"

const parameters = Schema.Struct({
  text: Schema.String.pipe(
    Schema.pattern(/\S/, { message: () => "the text is blank" }),
    Schema.maxLength(maxText)
  ).annotations({
    description: "The note, in words that make sense by themselves later."
  }),
  scope: optional(
    MemoryScope,
    "`session` for this conversation only; `project` for every later one of the project, which needs approval. Default: session."
  )
})

const reach = { session: "this session", project: "every later session of this project" } as const

/** Wraps lines for a terminal of 80 columns. */
const wrapped = (text: string): string => {
  const seen = makeVisible(text).replaceAll("\t", "  ")
  return seen.replaceAll(/\P{ASCII}/u.test(seen) ? /.{36}(?=.)/gu : /.{72}(?=.)/gu, "$&\n")
}

/**
 * What is noted for a project speaks to sessions that have nothing to do with whoever wrote it, so that a person sees all of it
 * first, each time.
 */
export const Remember = Tool.make("remember", {
  description:
    "Saves a note that recall finds later, when the conversation no longer has it. Secrets are left out; the same text is kept once.",
  label: "Remember",
  category: "memory",
  mode: "both",
  parameters,
  success: Schema.String,
  failure: Schema.Union(MemoryRefused, MemoryFailed),
  idempotent: true,
  touches: ({ scope = "session" }) => ({ names: [`memory of ${reach[scope]}`] }),
  approval: ({ scope }) => scope === "project",
  preview: ({ scope = "session", text }) =>
    Effect.map(Redactor, (redactor) => {
      // Before it is wrapped: half a secret has no looks to be known by.
      const noted = redactor.text(text.trim())
      return {
        summary: makeVisible(`remember for ${reach[scope]}: ${noted.split("\n", 1)[0] ?? ""}`),
        diff: unifiedDiff(undefined, `${wrapped(noted)}\n`, "memory"),
        targets: [],
        once: true
      }
    }),
  handler: ({ scope = "session", text }, call) =>
    Effect.gen(function* () {
      const memory = yield* Memory
      const { added, entry } = yield* memory.record({ sessionId: call.sessionId, scope, text })
      const note = entry.text === text.trim().toWellFormed() ? "" : "; what looked like a secret was left out"
      return `${added ? "noted" : "already noted"} for ${reach[scope]} as memory ${entry.id}${note}`
    })
})
