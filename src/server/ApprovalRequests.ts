import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Audit } from "../audit/Audit.ts"
import { ApprovalMismatch } from "../approval/ApprovalError.ts"
import { answerElsewhere } from "../host/answerElsewhere.ts"
import { redactJsonWith } from "../redaction/RedactJson.ts"
import { Redactor, type RedactorShape } from "../redaction/Redactor.ts"
import { DecideApproval } from "../runtime/Command.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import { Approving, Caller, Viewing } from "./Access.ts"
import { Conflict, Gone, NotFound, Refusal, Unavailable } from "./ApiError.ts"
import { EnvelopeJson, Named, WaitingApproval } from "./ApiSchema.ts"
import { base } from "./Base.ts"
import { fitting } from "./fitting.ts"
import { perform } from "./Perform.ts"
import { waiting } from "./SessionInfo.ts"
import { ofSession, stored } from "./stored.ts"

const path = Schema.Struct({ approval: Named })

/** An answer to a request, bound to it by its digest. */
const Answer = Schema.Struct(
  Struct.omit(DecideApproval.fields, "_tag", "session", "by", "frontend", "approvalId")
).annotations({ identifier: "ApprovalAnswer", parseOptions: { onExcessProperty: "error" } })

/** The event that says what an answer came to. */
const Taken = Schema.Struct({ session: Schema.String, seq: Schema.Number, answer: EnvelopeJson })

export const group = HttpApiGroup.make("approvals")
  .add(
    HttpApiEndpoint.get("list", "/v1/approvals")
      .addSuccess(Schema.Struct({ approvals: Schema.Array(WaitingApproval) }))
      .annotate(OpenApi.Description, "The open requests of all sessions, the oldest first.")
      .middleware(Viewing)
  )
  .add(
    HttpApiEndpoint.get("show", "/v1/approvals/:approval")
      .setPath(path)
      .addSuccess(WaitingApproval)
      .addError(NotFound)
      .addError(Gone)
      .annotate(OpenApi.Description, "One open request; 410 where it has ended.")
      .middleware(Viewing)
  )
  .add(
    HttpApiEndpoint.post("answer", "/v1/approvals/:approval")
      .setPath(path)
      .setPayload(Answer)
      .addSuccess(Taken)
      .addError(Refusal)
      .annotate(
        OpenApi.Description,
        "Answers a request, once: 404 for one that never was, 409 for another digest, or for an answer that another process, which has the session open, cannot be given from here, 410 for one that was answered, withdrawn or has expired."
      )
      .middleware(Approving)
  )

/** Fails with how a request has ended, or that there never was one. */
const ended = (id: string) =>
  Effect.gen(function* () {
    const over = Option.filter(yield* stored((yield* Audit).resolved(id)), ({ approval }) => approval === id)
    return yield* Option.match(over, {
      onNone: () => new NotFound({ message: `There is no approval request ${id}.`, error: "ApprovalNotPending" }),
      onSome: ({ decided_by, outcome }) =>
        new Gone({
          message: [
            `Approval request ${id} has ended: ${outcome ?? "over"} by ${decided_by ?? "nobody"}. Nothing has changed.`,
            ...(outcome === "granted" ? ["To stop what it started, interrupt the task."] : [])
          ].join(" "),
          error: "ApprovalNotPending"
        })
    })
  })

const open = (id: string) =>
  Effect.flatMap(stored(waiting), (found) => {
    const one = found.find(({ request }) => request.id === id)
    return one === undefined ? ended(id) : Effect.succeed(one)
  })

/** How often to look for the event of an answer that another process has taken. */
const soon = Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(40))

const waits = new Unavailable({
  message: "The answer waits for the process that has the session open; look at the request again later.",
  retryAfter: 1
})

/** Why an answer can be given only in the process that has the session open; nothing if it can be sent there. */
const unfitElsewhere = (
  { masked }: ApprovalRequest,
  decision: "approve" | "deny",
  parameters: unknown,
  { text }: Pick<RedactorShape, "text">
): string | undefined => {
  if (decision === "deny") return undefined
  if (masked !== undefined) {
    return "The request has secrets that only the process with its session can show. Allow it there, or deny it here."
  }
  // They lie in the database until that process has read them.
  return parameters !== undefined && JSON.stringify(redactJsonWith(text, parameters)) !== JSON.stringify(parameters)
    ? "The parameters have what looks like a secret, which is not passed on to the process with the session. Edit them there."
    : undefined
}

/** Answers a request of a session that another process has open. */
const elsewhere = (
  request: ApprovalRequest,
  { decision, parameters, scope = "once", ...given }: typeof Answer.Type,
  name: string,
  { owner }: Conflict
) =>
  Effect.gen(function* () {
    const { digest, id, sessionId } = request
    const isEdit = decision === "approve" && parameters !== undefined
    const unfit = unfitElsewhere(request, decision, isEdit ? parameters : undefined, yield* Redactor)
    if (unfit !== undefined) {
      return yield* new Conflict({ message: unfit, error: "SessionBusy", ...(owner === undefined ? {} : { owner }) })
    }
    if (given.digest !== digest) {
      const { _tag, message } = new ApprovalMismatch({ approvalId: id, what: "digest" })
      return yield* new Conflict({ message, error: _tag })
    }
    const store = yield* SessionStore
    const { head } = yield* ofSession(store.get(sessionId))
    const said = isEdit ? { decision: "edit" as const, parameters } : { decision }
    const answer = { ...given, ...said, approvalId: id, sessionId, scope, by: `user ${name}` }
    const outcome = yield* answerElsewhere(answer).pipe(
      Effect.catchTag("AnsweredAlready", ({ _tag, message }) => new Gone({ message, error: _tag })),
      Effect.catchIf(
        (error) => error._tag !== "Gone",
        (error) => stored(Effect.fail(error))
      )
    )
    if (outcome === "over") return yield* ended(id)
    if (outcome === "left") return yield* waits
    if (!outcome.taken) return yield* new Conflict({ message: outcome.message ?? "The answer was refused." })
    const resolved = Effect.flatMap(stored(store.tagged(sessionId, ["ApprovalResolved"], head + 1)), (found) => {
      const one = found.find(({ event }) => event._tag === "ApprovalResolved" && event.approvalId === id)
      return one === undefined ? waits : Effect.succeed(one)
    })
    return yield* Effect.retry(resolved, { schedule: soon, while: ({ _tag }) => _tag === "Unavailable" })
  })

export const live = HttpApiBuilder.group(base.add(group), "approvals", (handlers) =>
  handlers
    .handle("list", () => Effect.map(stored(waiting), (approvals) => ({ approvals })))
    .handle("show", ({ path: { approval } }) => open(approval))
    .handle("answer", ({ path: { approval }, payload }) =>
      Effect.gen(function* () {
        const { name } = yield* Caller
        const { request } = yield* open(approval)
        yield* fitting({ ...payload, _tag: "DecideApproval", approvalId: approval })
        const answer = yield* perform({
          ...payload,
          _tag: "DecideApproval",
          approvalId: approval,
          session: request.sessionId,
          by: name
        }).pipe(
          Effect.catchTag("Conflict", (conflict) =>
            conflict.error === "SessionBusy" ? elsewhere(request, payload, name, conflict) : conflict
          )
        )
        return { session: answer.session, seq: answer.seq, answer }
      })
    )
)
