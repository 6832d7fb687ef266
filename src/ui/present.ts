import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Stream from "effect/Stream"
import type { Inspection } from "../approval/Approvals.ts"
import { type AnswerClientCall, DecideApproval } from "../runtime/Command.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import { trusted } from "../tool/ToolEvent.ts"
import type { Answer, Approval } from "./Display.ts"
import * as ClientCalls from "./clientCalls.ts"
import * as Pace from "../system/Pace.ts"
import { Narrator, type Step } from "./Narrator.ts"
import { Ui } from "./Ui.ts"
import * as WorkerTree from "./WorkerTree.ts"

export interface PresentOptions {
  /** Where decisions go; if unset, no one is asked, e.g. for a recording. */
  readonly decide?: (decision: DecideApproval) => Effect.Effect<void>
  /** What is known of an open request besides; if unset, nothing is. */
  readonly inspect?: (approvalId: string) => Inspection
  /** Where results of the frontend's own tools go; if unset, none of them runs. */
  readonly answer?: (answer: AnswerClientCall) => Effect.Effect<void>
  /** Runs once an event has been shown; `workers` are those of the last task by then. */
  readonly after?: (envelope: Envelope, workers: WorkerTree.WorkerTree) => Effect.Effect<unknown>
}

/** The commands of an answer: what was allowed with a request goes first, for the end of the request ends its prompt. */
const decisions = (request: ApprovalRequest, answer: Answer): ReadonlyArray<DecideApproval> => {
  const { also = [], ...own } = answer.decision === "approve" ? answer : { ...answer, also: [] }
  const decided = (
    { digest, id: approvalId, sessionId: session }: ApprovalRequest,
    given: Pick<DecideApproval, "decision" | "scope" | "wider" | "reason" | "frontend">
  ) => new DecideApproval({ session, approvalId, digest, ...given }, trusted)
  return [...also.map((one) => decided(one, { decision: "approve", scope: "once" })), decided(request, own)]
}

/** Shows events on a frontend, whether they happen now or were recorded, and asks it for decisions where they are wanted. */
export const present = <E, R>(
  events: Stream.Stream<Envelope, E, R>,
  { after, answer, decide, inspect }: PresentOptions = {}
): Effect.Effect<void, E, R | Ui> =>
  Effect.scoped(
    Effect.gen(function* () {
      const ui = yield* Ui
      const scope = yield* Effect.scope
      const narrator = new Narrator()
      let workers = WorkerTree.empty
      const grown = (envelope: Envelope) =>
        Effect.suspend(() => {
          const before = workers
          workers = WorkerTree.step(workers, envelope)
          return workers === before ? Effect.void : ui.workers(workers)
        })
      let asking: Fiber.Fiber<void> | undefined

      const ask = ({ call, request, ...more }: Approval) => {
        if (decide === undefined) return Effect.void
        let later: ReadonlyArray<ApprovalRequest> = []
        const known = inspect?.(request.id)
        const looking =
          known === undefined
            ? Effect.void
            : Effect.map(known.foreseen, (found) => {
                later = found
              })
        const approval = {
          call,
          request,
          ...more,
          waiting: () => more.waiting() + later.length,
          others: () => [...(more.others?.() ?? []), ...later],
          ...(known === undefined ? {} : { unmasked: known.unmasked, issues: known.issues })
        }
        return Effect.map(
          Effect.forkIn(
            Effect.flatMap(Effect.zipRight(Effect.fork(looking), ui.approve(approval)), (answer) =>
              Effect.uninterruptible(Effect.forEach(decisions(request, answer), decide, { discard: true }))
            ),
            scope
          ),
          (fiber) => {
            asking = fiber
          }
        )
      }
      /** By their keys: calls of different workers may have one id. */
      const calls = yield* FiberMap.make<string>()
      /** A person is asked one thing at a time. */
      const turns = yield* Effect.makeSemaphore(1)
      const run = (session: string, { call, request }: Extract<Step, { readonly _tag: "ClientCall" }>) =>
        answer === undefined
          ? Effect.void
          : FiberMap.run(
              calls,
              call?.key ?? request.requestId,
              Effect.flatMap(turns.withPermits(1)(ClientCalls.answer(session, request)), answer).pipe(
                Effect.provideService(Ui, ui)
              )
            )
      const perform = (session: string, step: Step): Effect.Effect<unknown> => {
        switch (step._tag) {
          case "Status":
            return ui.status(step.text)
          case "Progress":
            return ui.progress(step.progress)
          case "Notice":
            return ui.notify(step.notice)
          case "Diff":
            return ui.diff(step.diff)
          case "Ask":
            return ask(step.approval)
          case "Asked":
            return Effect.suspend(() => {
              const fiber = asking
              asking = undefined
              return fiber === undefined ? Effect.void : Fiber.interrupt(fiber)
            })
          case "ClientCall":
            return run(session, step)
          case "ClientCallEnded":
            return FiberMap.remove(calls, step.call.key)
          default:
            return ui.display(step)
        }
      }
      // What is stored comes at once and may be long: signals are heard in between.
      const pace = Pace.make()
      yield* Stream.runForEach(events, (envelope) =>
        Effect.zipRight(
          Effect.zipRight(
            Effect.forEach(narrator.tell(envelope), (step) => perform(envelope.session, step), { discard: true }),
            grown(envelope)
          ),
          Effect.zipRight(
            Effect.suspend(() => after?.(envelope, workers) ?? Effect.void),
            pace
          )
        )
      )
    })
  )
