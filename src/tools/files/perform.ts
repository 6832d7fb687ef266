import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { sha256 } from "../../policy/path/Content.ts"
import { StaleFile } from "../../policy/path/FileFailure.ts"
import { remove, rename } from "../../policy/path/FileRemover.ts"
import { write, type ChangeFailed } from "../../policy/path/FileWriter.ts"
import { judge, type JudgedPath } from "../../policy/path/PathPolicy.ts"
import { fileChanged, type Change as Reported, type ToolCall } from "../../tool/ToolCall.ts"
import { checkpoint, savedOtherwise } from "./checkpoint.ts"
import { type Change, type ChangePlan, diffOf, isIdle } from "./ChangePlan.ts"
import type { EditorFileFailed } from "./EditorFiles.ts"
import { baseOf, fileState, type FileState } from "./FileState.ts"
import { decodeText } from "./FileText.ts"
import { editorOf } from "./inEditor.ts"
import { writeThrough } from "./writeThrough.ts"
import { beginning } from "./UnifiedDiff.ts"

/** A change of several files failed half-way; what was done of it was undone, except where `left` says otherwise. */
export class ChangeAborted extends Schema.TaggedError<ChangeAborted>()("ChangeAborted", {
  reason: Schema.String,
  restored: Schema.Array(Schema.String),
  left: Schema.Array(Schema.Struct({ path: Schema.String, reason: Schema.String }))
}) {
  override get message() {
    const restored = this.restored.length === 0 ? "" : ` ${this.restored.join(", ")} was changed and is restored.`
    const left = this.left.map(({ path, reason }) => `${path} (${reason})`).join(", ")
    return (
      `${this.reason}. The change stopped half-way.${restored}` +
      (left === "" ? " Nothing was changed" : ` NOT restored, check before you continue: ${left}`)
    )
  }
}

/** A part of a change that was done; `otherwise` is what the file's editor has made of it. */
interface Done extends Reported {
  readonly otherwise?: { readonly sha256: string; readonly isOther: boolean }
}

/** What the model is told besides. */
export const noteOf = ({ otherwise }: Done): string =>
  otherwise?.isOther === true
    ? "\n[the editor has changed it while it saved it, as one does that formats files: read it before you change it again]"
    : ""

type StepFailed = ChangeFailed | EditorFileFailed

/** What it takes to do a part of a change, to undo it, and to report it. */
interface Step {
  readonly path: string
  readonly run: Effect.Effect<Done, StepFailed>
  readonly undo: Effect.Effect<unknown, StepFailed>
}

const again = <Op extends "write" | "remove">(judged: JudgedPath, op: Op) => judge(judged.path, op, judged.context)

type Asking = <A, E>(self: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** Waits for an answer where nothing can be interrupted any more; the answer has its own limit of time. */
const toItsEnd: Asking = (self) => Effect.flatMap(Effect.forkDaemon(Effect.interruptible(self)), Fiber.join)

/** Characters of a text that an editor is asked to write. */
const longest = 16 * 1024 * 1024

/** Writes a file through its editor, or else here. */
const written = (
  judged: JudgedPath<"write">,
  bytes: Uint8Array,
  before: Change["before"],
  mode: number | undefined,
  asking: Asking
): Effect.Effect<Done, StepFailed> =>
  Effect.gen(function* () {
    const { path } = judged
    const editor = yield* editorOf(path)
    const text = Either.getOrUndefined(decodeText(bytes))?.text
    const isItsOwn = before === undefined || (before.inEditor && before.text !== undefined)
    const to = editor?.write === undefined || !isItsOwn || mode !== undefined ? undefined : editor.write
    if (editor === undefined || to === undefined || text === undefined || text.length > longest) {
      const local = yield* write(judged, bytes, {
        base: baseOf(before),
        ...(mode === undefined ? {} : { mode })
      })
      return { path, change: local.change, size: local.size }
    }
    const { content, isOther } = yield* writeThrough(judged, text, before, { ...editor, write: to }, asking)
    return {
      path,
      change: before === undefined ? "created" : "modified",
      size: content?.bytes.length ?? bytes.length,
      ...(content === undefined || content.sha256 === sha256(bytes)
        ? {}
        : { otherwise: { sha256: content.sha256, isOther } })
    }
  })

/** Brings a file back that its editor has written. */
const restored = (
  judged: JudgedPath<"write">,
  before: FileState,
  expected: string
): Effect.Effect<unknown, StepFailed> =>
  Effect.gen(function* () {
    const now = yield* toItsEnd(fileState(judged.path, judged.context))
    if (now?.sha256 !== expected)
      return yield* new StaleFile({ path: judged.path, expected, actual: now?.sha256 ?? null })
    return yield* written(judged, before.bytes, now, undefined, toItsEnd)
  })

const writing = (
  judged: JudgedPath<"write">,
  bytes: Uint8Array,
  before: Change["before"],
  { mode, report }: { readonly report?: Reported; readonly mode?: number | undefined } = {}
): Step => {
  let now = sha256(bytes)
  return {
    path: judged.path,
    run: Effect.map(written(judged, bytes, before, mode, Effect.interruptible), (done) => {
      now = done.otherwise?.sha256 ?? now
      return report === undefined ? done : { ...done, ...report }
    }),
    undo: Effect.suspend(() =>
      before === undefined
        ? Effect.flatMap(again(judged, "remove"), (path) => remove(path, { base: Option.some(now) }))
        : before.inEditor
          ? restored(judged, before, now)
          : write(judged, before.bytes, { base: Option.some(now), mode: before.mode })
    )
  }
}

const removing = (change: Extract<Change, { kind: "remove" }>): Step => ({
  path: change.judged.path,
  run: Effect.map(remove(change.judged, { base: baseOf(change.before) }), ({ path }) => ({
    path,
    change: "deleted" as const,
    size: 0
  })),
  undo: Effect.flatMap(again(change.judged, "write"), (path) =>
    write(path, change.before.bytes, { base: Option.none(), mode: change.before.mode })
  )
})

const moving = ({ before, bytes, from, judged }: Extract<Change, { kind: "move" }>): ReadonlyArray<Step> => {
  const report = { path: judged.path, change: "renamed" as const, oldPath: from.path, size: bytes.length }
  const move: Step = {
    path: judged.path,
    run: Effect.as(rename(from, judged, { base: baseOf(before) }), report),
    undo: Effect.flatMap(Effect.all([again(judged, "remove"), again(from, "write")]), ([old, back]) =>
      rename(old, back)
    )
  }
  return before.sha256 === sha256(bytes) ? [move] : [move, writing(judged, bytes, before, { report })]
}

/** New and changed files first: a crash in the middle leaves too much rather than too little. */
const stepsOf = (plan: ChangePlan): ReadonlyArray<Step> => [
  ...plan.flatMap((change) => (change.kind === "move" ? moving(change) : [])),
  ...plan.flatMap((change) =>
    change.kind === "write" && !isIdle(change)
      ? [writing(change.judged, change.bytes, change.before, { mode: change.mode })]
      : []
  ),
  ...plan.flatMap((change) => (change.kind === "remove" ? [removing(change)] : []))
]

const undone = Effect.fnUntraced(function* (
  done: ReadonlyArray<Step>,
  reason: string,
  shown: (path: string) => string
) {
  const restored = new Set<string>()
  const left: Array<{ readonly path: string; readonly reason: string }> = []
  for (const step of done.toReversed()) {
    const failure = yield* Effect.match(step.undo, { onFailure: (error) => error.message, onSuccess: () => undefined })
    if (failure === undefined) restored.add(shown(step.path))
    else left.push({ path: shown(step.path), reason: failure })
  }
  return new ChangeAborted({ reason, restored: [...restored], left })
})

type Restore = Parameters<Parameters<typeof Effect.uninterruptibleMask>[0]>[0]

/** Does the steps of a plan where nothing else is interrupted; between two steps, what `restore` allows is. */
const carriedOut = Effect.fnUntraced(function* (
  plan: ChangePlan,
  shown: (path: string) => string,
  restore: Restore
): Effect.fn.Return<ReadonlyMap<string, Done>, StepFailed | ChangeAborted> {
  const done: Array<Step> = []
  const reports = new Map<string, Done>()
  for (const step of stepsOf(plan)) {
    const exit = yield* Effect.exit(Effect.zipRight(restore(Effect.yieldNow()), step.run))
    if (Exit.isFailure(exit)) {
      const { cause } = exit
      if (done.length === 0) return yield* Effect.failCause(cause)
      const failure = cause._tag === "Fail" ? cause.error.message : "The call was interrupted"
      const aborted = yield* undone(done, failure, shown)
      return yield* cause._tag === "Fail" || aborted.left.length > 0 ? aborted : Effect.failCause(cause)
    }
    done.push(step)
    reports.set(step.path, exit.value)
  }
  return reports
})

/**
 * Does a plan as a whole: where a part fails, or the call is interrupted between two parts, what was done is undone.
 * Every part compares the state that the plan was made for.
 */
export const carryOut = (
  plan: ChangePlan,
  shown: (path: string) => string
): Effect.Effect<ReadonlyMap<string, Done>, StepFailed | ChangeAborted> =>
  Effect.uninterruptibleMask((restore) => carriedOut(plan, shown, restore))

/** Does a plan for a call: what it replaces is kept first, and all that was done is reported, also where the call is interrupted then. */
export const perform = (
  plan: ChangePlan,
  call: ToolCall,
  shown: (path: string) => string
): Effect.Effect<ReadonlyArray<Done>, StepFailed | ChangeAborted> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* restore(checkpoint(plan, call))
      const reports = yield* carriedOut(plan, shown, restore)
      for (const change of plan) {
        const done = reports.get(change.judged.path)
        if (done === undefined) continue
        const { otherwise, ...report } = done
        if (otherwise !== undefined) yield* savedOtherwise(change, otherwise.sha256, call)
        const diff = diffOf(change, shown)
        yield* fileChanged(call, diff === "" ? report : { ...report, diff: beginning(diff) })
      }
      return [...reports.values()]
    })
  )
