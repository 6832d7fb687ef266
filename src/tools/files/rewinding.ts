import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { CheckpointStore } from "../../checkpoint/Checkpoints.ts"
import type { FileStep, RestoredFile } from "../../checkpoint/FileStep.ts"
import { type FileLeft, type FileRestore, RestoreFailed, type Rewinding } from "../../checkpoint/Rewinding.ts"
import { type Rollback, rollbacks } from "../../checkpoint/Rollback.ts"
import { sha256 } from "../../policy/path/Content.ts"
import { removeEmpty } from "../../policy/path/Directory.ts"
import { judge } from "../../policy/path/PathPolicy.ts"
import type { Workspace } from "../Workspace.ts"
import { type Change, diffOf } from "./ChangePlan.ts"
import { fileState } from "./FileState.ts"
import { decodeText } from "./FileText.ts"
import { carryOut } from "./perform.ts"
import { beginning } from "./UnifiedDiff.ts"

/** Files of which a diff is shown. */
const maxDiffs = 50

/** What is done about one file: a change, a reason to leave it, or nothing as it is there already. */
type Planned = { readonly change: Change; readonly step: RestoredFile } | { readonly left: FileLeft } | undefined

const changeOf = Effect.fnUntraced(function* (
  { broken, expected, path, recreated, target }: Rollback,
  session: string,
  store: CheckpointStore,
  { context, shown }: Workspace["Type"]
) {
  const leave = (reason: string): Planned => ({ left: { path: shown(path), reason } })
  const before = yield* fileState(path, context)
  if (before !== undefined && before.path !== path) return leave("a symlink has taken its place")
  const now = before?.sha256 ?? null
  const wanted = target?.sha256 ?? null
  // Permissions that somebody else has given a file stay; those of a file that a tool made anew are not its own.
  const mode = target !== null && (before === undefined || recreated) ? target.mode : undefined
  if (now === wanted && (mode === undefined || before === undefined || mode === before.mode)) return undefined
  if (broken || !expected.has(now)) return leave("somebody else changed it meanwhile")
  const step: RestoredFile = { path, from: now, to: wanted }
  if (target === null) {
    if (before === undefined) return undefined
    return { change: { kind: "remove", judged: yield* judge(path, "remove", context), before }, step } satisfies Planned
  }
  if (target.notKept !== undefined) return leave(`its content was not kept: ${target.notKept}`)
  const kept = yield* store.find(session, target.sha256)
  if (Option.isNone(kept)) return leave("its content is no longer kept")
  const judged = yield* judge(path, "write", context)
  if (judged.path !== path) return leave("a symlink has taken its place")
  const bytes = kept.value
  const text = Either.match(decodeText(bytes), { onLeft: () => "", onRight: (decoded) => decoded.text })
  return {
    change: { kind: "write", judged, before, text, bytes, ...(mode === undefined ? {} : { mode }) },
    step
  } satisfies Planned
})

const kinds = (change: Change): FileRestore["change"] =>
  change.kind === "remove" ? "deleted" : change.before === undefined ? "created" : "modified"

/** Brings files of a workspace back, by the same steps as its tools change them; nothing outside of it is touched. */
export const make = (workspace: Workspace["Type"], store: CheckpointStore): Rewinding => {
  const { context, shown } = workspace

  const planned = (session: string, steps: ReadonlyArray<FileStep | RestoredFile>) =>
    Effect.gen(function* () {
      const found = rollbacks(steps)
      const all = yield* Effect.forEach(found, (rollback) =>
        changeOf(rollback, session, store, workspace).pipe(
          Effect.catchAll((error) =>
            Effect.succeed<Planned>({ left: { path: shown(rollback.path), reason: error.message } })
          )
        )
      )
      const changes = all.flatMap((one) => (one !== undefined && "change" in one ? [one] : []))
      const left = all.flatMap((one) => (one !== undefined && "left" in one ? [one.left] : []))
      const states = JSON.stringify([changes.map(({ step: { from, path, to } }) => [path, from, to]), left])
      const kept = new Set(left.map(({ path }) => path))
      return {
        changes,
        left,
        digest: sha256(Buffer.from(states)),
        directories: found.flatMap(({ directories, path }) => (kept.has(shown(path)) ? [] : directories))
      }
    })

  return {
    plan: (session, steps) =>
      Effect.map(planned(session, steps), ({ changes, digest, left }) => ({
        files: changes.map(({ change }, index): FileRestore => {
          const diff = index < maxDiffs ? diffOf(change, shown) : ""
          return {
            path: shown(change.judged.path),
            change: kinds(change),
            ...(diff === "" ? {} : { diff: beginning(diff) })
          }
        }),
        left,
        digest
      })),
    restore: (session, steps, digest) =>
      Effect.gen(function* () {
        const plan = yield* planned(session, steps)
        if (digest !== undefined && digest !== plan.digest) {
          return yield* new RestoreFailed({ reason: "they have changed since they were shown; look again" })
        }
        yield* Effect.mapError(
          carryOut(
            plan.changes.map(({ change }) => change),
            shown
          ),
          (error) => new RestoreFailed({ reason: error.message })
        )
        // Innermost first; what holds anything else stays.
        for (const directory of [...new Set(plan.directories)].sort((a, b) => b.length - a.length)) {
          const judged = yield* Effect.either(judge(`${directory}/x`, "write", context))
          if (Either.isRight(judged) && judged.right.path === `${directory}/x`) yield* removeEmpty(directory)
        }
        return { restored: plan.changes.map(({ step }) => step), left: plan.left }
      })
  }
}
