import * as Effect from "effect/Effect"
import { sha256 } from "../../policy/path/Content.ts"
import { changed } from "../../policy/path/Directory.ts"
import { StaleFile } from "../../policy/path/FileFailure.ts"
import type { JudgedPath } from "../../policy/path/PathPolicy.ts"
import type { PathRefused } from "../../policy/path/PathRefused.ts"
import type { Preview, PreviewTarget } from "../../tool/Preview.ts"
import type { Asks } from "../../tool/Tool.ts"
import type { ToolCall } from "../../tool/ToolCall.ts"
import { decided, once } from "./Access.ts"
import type { FileState } from "./FileState.ts"
import { diffName, diffSize, unifiedDiff } from "./UnifiedDiff.ts"

/** One file as a call would leave it. */
export type Change =
  | {
      readonly kind: "write"
      readonly judged: JudgedPath<"write">
      readonly before: FileState | undefined
      readonly text: string
      readonly bytes: Uint8Array
      /** The permission bits; if unset, those of the file, or for a new one what the system's mask leaves. */
      readonly mode?: number
    }
  | { readonly kind: "remove"; readonly judged: JudgedPath<"remove">; readonly before: FileState }
  | {
      readonly kind: "move"
      readonly from: JudgedPath<"remove">
      readonly judged: JudgedPath<"write">
      readonly before: FileState
      readonly text: string
      readonly bytes: Uint8Array
    }

/** Everything a call would change, worked out from its parameters and the files as they are, before any of it is done. */
export type ChangePlan = ReadonlyArray<Change>

const judgedIn = (change: Change): ReadonlyArray<JudgedPath> =>
  change.kind === "move" ? [change.from, change.judged] : [change.judged]

/** Whether changes to these paths are asked for in any case, or lie plainly inside the workspace. */
export const asksFor = (paths: ReadonlyArray<JudgedPath>): Asks =>
  paths.every(({ verdict }) => verdict.decision === "allow") ? "contained" : true

/** The same of a whole plan, which also reads what it changes. */
export const asksForPlan = (plan: ChangePlan): Asks =>
  asksFor(
    plan.flatMap((change) => [...judgedIn(change), ...(change.before === undefined ? [] : [change.before.judged])])
  )

const targets = (plan: ChangePlan): ReadonlyArray<PreviewTarget> =>
  plan.flatMap((change): ReadonlyArray<PreviewTarget> => {
    const base = change.before?.sha256 ?? null
    return change.kind === "move"
      ? [
          { path: change.from.path, baseHash: base },
          { path: change.judged.path, baseHash: null }
        ]
      : [{ path: change.judged.path, baseHash: base }]
  })

const after = (change: Change): string | undefined => (change.kind === "remove" ? undefined : change.text)

/** What one part of a plan changes, as a unified diff. */
export const diffOf = (change: Change, shown: (path: string) => string): string => {
  const before = change.before?.text?.text
  const body = unifiedDiff(before, after(change), shown(change.judged.path))
  return change.kind === "move"
    ? `rename from ${diffName(shown(change.from.path))}\nrename to ${diffName(shown(change.judged.path))}\n${body}`
    : body
}

const counted = (diff: string): string => {
  const { added, removed } = diffSize(diff)
  return `+${added} −${removed} lines`
}

const verbs = { move: "move", remove: "delete" } as const

const sentence = (change: Change, text: string, shown: (path: string) => string): string => {
  const path = shown(change.judged.path)
  const reasons = judgedIn(change).filter(({ verdict }) => verdict.decision === "ask")
  const why = reasons.length === 0 ? "" : `; ${reasons.map(({ verdict }) => verdict.reason).join("; ")}`
  if (change.kind === "move") return `move ${shown(change.from.path)} to ${path} (${counted(text)})${why}`
  if (change.kind === "remove") return `delete ${path}${why}`
  const binary = change.before !== undefined && change.before.text === undefined
  const what = change.before === undefined ? "create" : binary ? `replace the binary file` : "change"
  return `${what} ${path} (${binary ? `${change.before?.bytes.length} bytes` : counted(text)})${why}`
}

/** Whether the file has the content already that it would get, and the permissions. */
export const isIdle = (change: Change): boolean =>
  change.kind === "write" &&
  change.before?.sha256 === sha256(change.bytes) &&
  (change.mode ?? change.before.mode) === change.before.mode

/** The preview of a change: a line, the whole diff, and the state of every file it was made for. */
export const preview = (plan: ChangePlan, shown: (path: string) => string): Preview => {
  const diffs = plan.map((change) => diffOf(change, shown))
  const lines = plan.map((change, index) => sentence(change, diffs[index] ?? "", shown))
  const kinds = plan.map(({ kind }) => (kind === "write" ? "write" : verbs[kind]))
  return {
    summary: plan.every(isIdle)
      ? "no change: the files have this content already"
      : lines.length <= 3
        ? lines.join(", ")
        : `${kinds.length} files: ${lines.slice(0, 3).join(", ")}, …`,
    diff: diffs.filter((text) => text !== "").join("\n"),
    targets: targets(plan),
    ...(plan.every(isIdle) && { unchanged: true }),
    ...once(plan.flatMap(judgedIn))
  }
}

/**
 * The plan, if it is the one that was shown: made for the same files in the same state. Where nothing was shown, the policy
 * must allow all of it.
 */
export const confirmed = (plan: ChangePlan, call: ToolCall): Effect.Effect<ChangePlan, StaleFile | PathRefused> => {
  const shown = call.preview?.targets
  if (shown === undefined) {
    return Effect.as(
      Effect.forEach(plan.flatMap(judgedIn), (judged) => decided(judged, call), { discard: true }),
      plan
    )
  }
  const now = targets(plan)
  for (const [index, target] of now.entries()) {
    const was = shown[index]
    if (was?.path !== target.path) return changed("write", target.path)
    if (was.baseHash !== target.baseHash) {
      return new StaleFile({ path: target.path, expected: was.baseHash, actual: target.baseHash })
    }
  }
  const gone = shown[now.length]
  return gone === undefined ? Effect.succeed(plan) : changed("write", gone.path)
}
