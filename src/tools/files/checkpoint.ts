import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { Checkpoints, type CheckpointStore } from "../../checkpoint/Checkpoints.ts"
import type { FileStep, ReplacedFile } from "../../checkpoint/FileStep.ts"
import { sha256 } from "../../policy/path/Content.ts"
import type { ToolCall } from "../../tool/ToolCall.ts"
import { CheckpointSaved, trusted } from "../../tool/ToolEvent.ts"
import { type Change, type ChangePlan, isIdle } from "./ChangePlan.ts"
import type { FileState } from "./FileState.ts"

/** The directories that have to be made for a file, outermost first. */
const missing = (file: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let above = path.dirname(file); !fs.existsSync(above) && path.dirname(above) !== above;) {
    found.unshift(above)
    above = path.dirname(above)
  }
  return found
}

const created = (file: string, bytes: Uint8Array): FileStep => {
  const directories = missing(file)
  return { path: file, before: null, after: sha256(bytes), ...(directories.length === 0 ? {} : { directories }) }
}

const stepsOf = (
  plan: ChangePlan,
  kept: (state: FileState) => Effect.Effect<ReplacedFile>
): Effect.Effect<ReadonlyArray<FileStep>> =>
  Effect.map(
    Effect.forEach(plan, (change): Effect.Effect<ReadonlyArray<FileStep>> => {
      const { before, judged } = change
      if (change.kind === "write") {
        return before === undefined
          ? Effect.sync(() => [created(judged.path, change.bytes)])
          : Effect.map(kept(before), (was) => [{ path: judged.path, before: was, after: sha256(change.bytes) }])
      }
      if (change.kind === "remove") {
        return Effect.map(kept(change.before), (was) => [{ path: judged.path, before: was, after: null }])
      }
      return Effect.map(kept(change.before), (was) => [
        { path: change.from.path, before: was, after: null },
        created(judged.path, change.bytes)
      ])
    }),
    (steps) => steps.flat()
  )

const keptIn =
  (store: CheckpointStore, session: string) =>
  ({ bytes, mode, sha256 }: FileState): Effect.Effect<ReplacedFile> =>
    Effect.map(store.keep(session, sha256, bytes), (notKept) => ({
      sha256,
      bytes: bytes.length,
      mode,
      ...(notKept === undefined ? {} : { notKept })
    }))

/** Keeps what a plan replaces; the log knows of it before anything is changed. */
export const checkpoint = (plan: ChangePlan, call: ToolCall): Effect.Effect<void> =>
  Effect.flatMap(Checkpoints, (store) =>
    store === undefined
      ? Effect.void
      : Effect.flatMap(
          stepsOf(
            plan.filter((change) => !isIdle(change)),
            keptIn(store, call.sessionId)
          ),
          (files) =>
            files.length === 0
              ? Effect.void
              : call.sink.commit(new CheckpointSaved({ callId: call.callId, tool: call.name, files }, trusted))
        )
  )

/** Notes that an editor has saved something else than it was given, so that a rewind knows the file by what it is now. */
export const savedOtherwise = (change: Change, now: string, call: ToolCall): Effect.Effect<void> =>
  Effect.flatMap(Checkpoints, (store) => {
    if (store === undefined || change.kind === "remove") return Effect.void
    const { bytes } = change
    const given: ReplacedFile = {
      sha256: sha256(bytes),
      bytes: bytes.length,
      mode: change.before?.mode ?? 0o644,
      notKept: "the editor has saved something else"
    }
    const files: ReadonlyArray<FileStep> = [{ path: change.judged.path, before: given, after: now }]
    return call.sink.commit(new CheckpointSaved({ callId: call.callId, tool: call.name, files }, trusted))
  })
