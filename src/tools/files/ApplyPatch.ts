import { applyPatch as applyUnified } from "diff"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { applyChunks } from "./ApplyChunks.ts"
import { Comparisons, tooManyPlaces } from "./Comparisons.ts"
import type { Edit, PatchStep } from "./PatchStep.ts"
import type { Patch } from "./Patch.ts"

/** One step of a patch does not fit the files; none of the patch is applied. */
export class PatchFailed extends Schema.TaggedError<PatchFailed>()("PatchFailed", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The patch does not fit ${this.path}: ${this.reason}. Nothing was changed`
  }
}

/** The effect of a patch on one file; undefined is a file that does not exist. */
export interface PatchedFile {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
  /** The path whose text it got, if it was moved. */
  readonly movedFrom?: string
}

const edited = (edit: Edit, before: string, comparisons: Comparisons): Either.Either<string, string> => {
  if (edit.format === "envelope") return applyChunks(before, edit.chunks, comparisons)
  const compareLine = (_number: number, line: string, _sign: string, wanted: string) => comparisons.isSame(line, wanted)
  const after = applyUnified(before, edit.patch, { compareLine })
  if (comparisons.isSpent) return Either.left(tooManyPlaces)
  return after === false
    ? Either.left("its lines are not where the patch expects them; read the file again and make a new patch")
    : Either.right(after)
}

/**
 * Applies all steps in order to a copy of the files, or none. The files are the texts of every path that the patch
 * changes or deletes and that exists; the result has each touched path once.
 */
export const applyPatch = (
  patch: Patch,
  files: ReadonlyMap<string, string>
): Either.Either<ReadonlyArray<PatchedFile>, PatchFailed> => {
  const now = new Map(files)
  const comparisons = new Comparisons()
  const touched = new Map<string, string | undefined>()
  const apply = (step: PatchStep): Either.Either<void, PatchFailed> => {
    const fail = (path: string, reason: string) => Either.left(new PatchFailed({ path, reason }))
    const before = now.get(step.path)
    if (step.kind === "add") {
      if (before !== undefined) return fail(step.path, "it exists already; update it instead")
      now.set(step.path, step.text)
      touched.set(step.path, undefined)
      return Either.void
    }
    if (before === undefined) return fail(step.path, "it does not exist")
    if (step.kind === "delete") {
      const rest = step.edit === undefined ? Either.right("") : edited(step.edit, before, comparisons)
      if (Either.isLeft(rest)) return fail(step.path, rest.left)
      if (rest.right !== "") return fail(step.path, "it has more lines than the patch deletes")
      now.delete(step.path)
      touched.set(step.path, undefined)
      return Either.void
    }
    const after = edited(step.edit, before, comparisons)
    if (Either.isLeft(after)) return fail(step.path, after.left)
    const target = step.moveTo ?? step.path
    if (target !== step.path) {
      if (now.has(target)) return fail(target, "it exists already, so nothing can be moved there")
      now.delete(step.path)
      touched.set(step.path, undefined)
      touched.set(target, step.path)
    } else if (!touched.has(target)) {
      touched.set(target, undefined)
    }
    now.set(target, after.right)
    return Either.void
  }
  return Either.map(Either.all(patch.map(apply)), () =>
    [...touched].map(([path, movedFrom]) => ({
      path,
      before: files.get(path),
      after: now.get(path),
      ...(movedFrom === undefined ? {} : { movedFrom })
    }))
  )
}
