import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { PathContext } from "../../policy/path/PathContext.ts"
import { judge } from "../../policy/path/PathPolicy.ts"
import { applyPatch, PatchFailed, type PatchedFile } from "./ApplyPatch.ts"
import type { Change, ChangePlan } from "./ChangePlan.ts"
import { fileState, type FileState } from "./FileState.ts"
import { decodeText, encodeText, type Encoding } from "./FileText.ts"
import { parsePatch, patchTargets } from "./Patch.ts"

const encode = (text: string, encoding: Encoding | undefined) => encodeText({ text, encoding: encoding ?? "utf-8" })

/**
 * Works out all that a patch would change: every path is judged, then every file read, then every step applied in memory.
 * Fails at the first thing that does not fit.
 */
export const patchPlan = Effect.fnUntraced(function* (text: string, context: PathContext) {
  const patch = yield* parsePatch(text)
  const fail = (path: string, reason: string) => new PatchFailed({ path, reason })
  const named = new Map<string, string>()
  for (const { op, path } of patchTargets(patch)) {
    const judged = yield* judge(path, op, context)
    const other = named.get(judged.path)
    if (other !== undefined && other !== path)
      return yield* fail(path, `it is the same file as ${other}; use one name for it`)
    named.set(judged.path, path)
  }
  const states = new Map<string, FileState>()
  for (const [physical, path] of named) {
    const state = yield* fileState(path, context)
    if (state === undefined) continue
    if (state.path !== physical) return yield* fail(path, "it is a symlink; name the file it leads to")
    const decoded = decodeText(state.bytes)
    if (Either.isLeft(decoded)) return yield* fail(path, `it cannot be patched: ${decoded.left.message}`)
    states.set(path, state)
  }
  const texts = new Map([...states].map(([path, state]) => [path, state.text?.text ?? ""]))
  const files = yield* applyPatch(patch, texts)
  const moved = new Set(
    files.flatMap(({ movedFrom, path }) =>
      movedFrom !== undefined &&
      !states.has(path) &&
      files.some((file) => file.path === movedFrom && file.after === undefined)
        ? [movedFrom]
        : []
    )
  )
  const changes = yield* Effect.forEach(files, (file) => changeOf(file, states, moved, context))
  return changes.flat() satisfies ChangePlan
})

const changeOf = (
  { after, movedFrom, path }: PatchedFile,
  states: ReadonlyMap<string, FileState>,
  moved: ReadonlySet<string>,
  context: PathContext
) =>
  Effect.gen(function* () {
    const before = states.get(path)
    if (after === undefined) {
      if (before === undefined || moved.has(path)) return []
      return [{ kind: "remove", judged: yield* judge(path, "remove", context), before }] satisfies ReadonlyArray<Change>
    }
    const judged = yield* judge(path, "write", context)
    const source = movedFrom === undefined ? undefined : states.get(movedFrom)
    const bytes = encode(after, (before ?? source)?.text?.encoding)
    if (movedFrom !== undefined && source !== undefined && before === undefined && moved.has(movedFrom)) {
      const from = yield* judge(movedFrom, "remove", context)
      return [{ kind: "move", from, judged, before: source, text: after, bytes }] satisfies ReadonlyArray<Change>
    }
    return before?.text?.text === after
      ? []
      : ([{ kind: "write", judged, before, text: after, bytes }] satisfies ReadonlyArray<Change>)
  })
