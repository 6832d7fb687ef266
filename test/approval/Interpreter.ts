import { Effect } from "effect"
import type { Verification } from "../../src/audit/AuditChain.ts"
import type { AuditRow } from "../../src/audit/AuditChain.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import { policyOf } from "./granting.ts"
import { foreignTool, mockTools, openTool } from "./MockTools.ts"
import * as Stage from "./Stage.ts"
import { type Given, type Input, type Step, wordOf } from "./Step.ts"
import { perform, verified } from "./Vocabulary.ts"
import * as World from "./World.ts"

/** What a row has led to. */
export interface Outcome {
  readonly world: World.World
  readonly executed: ReadonlyArray<string>
  readonly prompts: number
  /** What each label ended with, by every name that the corpus may have for it. */
  readonly errors: ReadonlyMap<string, ReadonlyArray<string>>
  readonly audit: ReadonlyArray<AuditRow>
  readonly requests: ReadonlyArray<ApprovalRequest>
  /** The calls that wait at the end. */
  readonly pending: ReadonlyArray<string>
  readonly verification: Verification | undefined
}

const isCall = (step: Step): boolean => /^tool_calls?(?:_raw|_stream)?$/.test(wordOf(step))

const asks = (given: Given = {}) =>
  given.clientSupportsApproval === false || given.interactive === false ? "fail" : policyOf(given.policy ?? "ask")

const ends = new Set(["shutdown", "hangup", "crash"])
/** Steps that happen whether or not a runtime is there. */
const besides = new Set(["tamper", "verify", "advance", "fs", "wall_clock_jump", "clock_back", "suspend_resume"])
const starts = new Set(["restart", "resume_session"])
const needsRuntime = (step: Step): boolean => ![ends, besides, starts].some((words) => words.has(wordOf(step)))

/** A step that says its decision or its scope by its name. */
const spelledOut = (step: Step): Step => {
  const [, decision, scope] = /^(approve|deny)(?:_(once|session|always))?$/.exec(step.step) ?? []
  return decision === undefined || (scope === "session" && step.approval === undefined)
    ? step
    : {
        scope: scope === "session" || scope === "always" ? scope : "once",
        ...step,
        step: "decision",
        decision: decision === "deny" ? "deny" : "approve"
      }
}

/** Who makes a call: a worker, the person, or the model in the task of a session. */
const makerOf = ({ from, worker }: Step): "worker" | "person" | "model" =>
  worker !== undefined && worker !== "root"
    ? "worker"
    : from !== undefined && /operator|user|human|cli|web|ui/.test(from)
      ? "person"
      : "model"

/** Plays the steps of a row against a real runtime with mock tools. */
export const play = (input: Input) =>
  Effect.gen(function* () {
    const { given } = input
    const steps = input.steps.map(spelledOut)
    const kinds = new Set(steps.map(wordOf))
    const asking = new Set(
      steps.flatMap((step) => (/^(?:grant|deny|ask)_/.test(wordOf(step)) && step.tool !== undefined ? [step.tool] : []))
    )
    const world = yield* World.make({
      policy: asks(given),
      always: given?.always ?? false,
      ...(given?.timeoutMs === undefined ? {} : { timeout: given.timeoutMs }),
      ...(given?.maxPending === undefined ? {} : { maxPending: given.maxPending }),
      retry: kinds.has("retry_middleware"),
      hooks: kinds.has("hook_rewrites_args"),
      tools: (machine) => [
        ...mockTools(machine, asking),
        foreignTool(machine, "mcp__s__t", "A tool of a server"),
        openTool(machine, "mcp__s__open")
      ]
    })
    const { machine } = world
    machine.failFirst = kinds.has("retry_middleware")
    const stage = Stage.make(world)
    let verification: Verification | undefined
    let stopped = false
    /** As they were before somebody changed them. */
    let genuine: ReadonlyArray<AuditRow> | undefined
    yield* stage.enter("s1")

    /** Calls that stand together are one answer of the model. */
    const call = (batch: ReadonlyArray<Step>) =>
      Effect.gen(function* () {
        const [first] = batch
        if (first === undefined) return
        if (makerOf(first) === "person") return yield* Effect.forEach(batch, stage.byOperator, { discard: true })
        const made = batch.map((step) => stage.called(step))
        const path = ["root", ...(first.worker ?? "").split("/")]
        yield* makerOf(first) === "worker"
          ? Effect.forEach(made, (each) => stage.aside(each, path), { discard: true })
          : stage.ask(made, first.session ?? stage.session)
      })

    /** Whether the row stops the runtime between this decision and the end of its call, and where. */
    const fateOf = (step: Step, next: Step | undefined): "hold" | "hang" | undefined => {
      if (wordOf(step) !== "decision" || step.decision === "deny" || next === undefined) return undefined
      if (wordOf(next) !== "crash") return undefined
      const { at = "" } = next
      return /after (?:the )?(?:exec|run|call)|before (?:the )?decision/.test(at)
        ? undefined
        : /during|while|in the middle|mid/.test(at)
          ? "hang"
          : "hold"
    }

    const doomed = (step: Step, fate: "hold" | "hang") =>
      Effect.gen(function* () {
        if (fate === "hold") world.hold.started = true
        else machine.hangs = true
        const request = stage.requestFor(step.approval ?? "A1")
        yield* stage.decide(step, false)
        const reached =
          fate === "hang"
            ? Effect.sync(() => machine.executed.includes(request?.callId ?? ""))
            : world.isResolved(stage.session, request?.id ?? "")
        while (!(yield* reached)) yield* Effect.yieldNow()
      })

    const run = (list: ReadonlyArray<Step>): Effect.Effect<void> =>
      Effect.gen(function* () {
        for (let index = 0; index < list.length; index++) {
          const step = list[index]
          if (step === undefined) continue
          // Whoever goes on after the end of the runtime has started another one.
          if (stopped && needsRuntime(step)) yield* perform(stage, { step: "restart" })
          stopped = ends.has(wordOf(step)) || (stopped && besides.has(wordOf(step)))
          if (isCall(step)) {
            const batch = [...(step.calls ?? [step])]
            const together = (other: Step | undefined): other is Step =>
              other !== undefined &&
              isCall(other) &&
              makerOf(other) === makerOf(step) &&
              other.worker === step.worker &&
              other.session === step.session
            for (let next = list[index + 1]; together(next); next = list[index + 1]) {
              batch.push(...(next.calls ?? [next]))
              index++
            }
            yield* call(batch)
          } else if (wordOf(step) === "parallel") {
            // Any order is possible; the strictest is the one in which a no is the first.
            const parts = (step.steps ?? []).map(spelledOut)
            yield* run([...parts].sort((a, b) => Number(b.decision === "deny") - Number(a.decision === "deny")))
          } else if (wordOf(step) === "verify") verification = yield* verified(stage)
          else {
            if (wordOf(step) === "tamper") genuine ??= yield* world.auditRows
            const fate = fateOf(step, list[index + 1])
            yield* fate === undefined ? perform(stage, step) : doomed(step, fate)
          }
        }
      })

    yield* run(steps)
    if (!world.hold.started && !machine.hangs) yield* stage.drain
    const { calls, errors } = stage
    const own = calls.filter(({ setup }) => !setup)
    const setup = new Set(calls.flatMap((each) => (each.setup ? [each.id] : [])))
    const rows = genuine ?? (yield* world.auditRows)
    const outcome: Outcome = {
      world,
      executed: machine.executed.filter((id) => !setup.has(id)).map(stage.labelOf),
      prompts: rows.filter((row) => row.kind === "requested" && (row.call === null || !setup.has(row.call))).length,
      errors,
      audit: rows,
      requests: own.flatMap(({ requests }) => requests),
      pending: (yield* world.boot.approvals.state()).pending.map(({ callId }) => stage.labelOf(callId)),
      verification
    }
    // What was held for good would keep the runtime from ending.
    yield* world.release
    return outcome
  })
