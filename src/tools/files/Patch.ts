import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { PathOp } from "../../policy/path/PathOp.ts"
import { parseEnvelope } from "./PatchEnvelope.ts"
import type { PatchStep } from "./PatchStep.ts"
import { parseUnified } from "./PatchUnified.ts"

export type Patch = ReadonlyArray<PatchStep>

/** A text is not a patch that can be applied; lines count from 1. */
export class PatchInvalid extends Schema.TaggedError<PatchInvalid>()("PatchInvalid", {
  reason: Schema.String,
  line: Schema.optional(Schema.Number)
}) {
  override get message() {
    return `The patch cannot be read${this.line === undefined ? "" : ` at line ${this.line}`}: ${this.reason}`
  }
}

/** In characters. */
const maxPatch = 4 * 1024 * 1024

/** Reads a patch in either form: a unified diff (plain or git's), or one between `*** Begin Patch` and `*** End Patch`. */
export const parsePatch = (text: string): Either.Either<Patch, PatchInvalid> => {
  if (text.length > maxPatch) {
    return Either.left(new PatchInvalid({ reason: `it is longer than ${maxPatch} characters; split it` }))
  }
  const parsed = text.trimStart().startsWith("*** Begin Patch") ? parseEnvelope(text) : parseUnified(text)
  return Either.flatMap(
    Either.mapLeft(parsed, (fault) => new PatchInvalid(fault)),
    (steps) =>
      steps.length === 0 ? Either.left(new PatchInvalid({ reason: "it changes no file" })) : Either.right(steps)
  )
}

/** Every path that a patch touches with the operation it has to be judged for. */
export const patchTargets = (
  patch: Patch
): ReadonlyArray<{ readonly path: string; readonly op: Extract<PathOp, "write" | "remove"> }> =>
  patch.flatMap((step) => {
    if (step.kind === "add") return [{ path: step.path, op: "write" as const }]
    if (step.kind === "delete") return [{ path: step.path, op: "remove" as const }]
    return step.moveTo === undefined
      ? [{ path: step.path, op: "write" as const }]
      : [
          { path: step.path, op: "remove" as const },
          { path: step.moveTo, op: "write" as const }
        ]
  })
