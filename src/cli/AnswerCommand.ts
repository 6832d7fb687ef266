import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as os from "node:os"
import { aboutLines, approvedLines, contextLines, titleLine } from "../approval/rendering/Prompt.ts"
import { Audit } from "../audit/Audit.ts"
import { Configuration } from "../config/Configuration.ts"
import { answerElsewhere } from "../host/answerElsewhere.ts"
import * as Records from "../host/Stores.ts"
import { markerName } from "../process/ProcessTree.ts"
import * as ProcessTable from "../process/ProcessTable.ts"
import { SessionStore, type WaitingApproval } from "../runtime/SessionStore.ts"
import { isStopped } from "../system/isStopped.ts"
import type { ApprovalRequest, Scope } from "../tool/ApprovalRequest.ts"
import { Ui } from "../ui/Ui.ts"
import * as Frontend from "./Frontend.ts"
import { document, unasked } from "./jsonOutput.ts"
import { NobodyToAsk, UsageError } from "./Outcome.ts"
import { rowsOf } from "./terminal/approval/approvalRows.ts"
import { hanging } from "./terminal/Layout.ts"
import { Screen } from "./terminal/Screen.ts"
import { isYes } from "../ui/isYes.ts"

const prefix = "approval_"

/** An id as people write it: the beginning of what is random in it. */
export const shortId = ({ id }: Pick<ApprovalRequest, "id">): string =>
  (id.startsWith(prefix) ? id.slice(prefix.length) : id).slice(0, 8)

/** Characters of a digest that a list shows, and that an answer gives at least. */
export const shortDigest = 12

const next = "tollgate approvals list shows what waits."

/** No open request has that id, or several have. */
export class RequestNotOpen extends Schema.TaggedError<RequestNotOpen>()("RequestNotOpen", {
  id: Schema.String,
  /** Open requests whose ids begin so. */
  open: Schema.Number,
  /** How it ended, and by whom. */
  ended: Schema.optionalWith(Schema.Struct({ outcome: Schema.String, by: Schema.String }), { exact: true })
}) {
  override get message() {
    const { ended, id, open } = this
    if (open > 1) return `${open} open requests begin with ${id}; use a longer prefix. ${next}`
    if (ended === undefined) return `No request begins with ${id}. ${next}`
    switch (ended.outcome) {
      case "expired":
        return `Request ${id} has expired: nobody answered in time, and the call was not run. The model may ask again; ${next}`
      case "withdrawn":
        return `Request ${id} was withdrawn (${ended.by}): its call has ended or changed. ${next}`
      default:
        return `Request ${id} was ${ended.outcome} already, by ${ended.by}; nothing has changed. ${next}`
    }
  }
}

/** An answer that does not fit its request; nothing was answered. */
export class AnswerNotFitting extends Schema.TaggedError<AnswerNotFitting>()("AnswerNotFitting", {
  id: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Request ${this.id} was not answered: ${this.reason}`
  }
}

/** How many requests may wait that are looked through. */
const maxWaiting = 1000

const begins = (id: string, beginning: string): boolean =>
  beginning !== "" && (id.startsWith(beginning) || id.startsWith(`${prefix}${beginning}`))

/** How the last request that begins so has ended, by the audit. */
const endOf = (beginning: string) =>
  Effect.gen(function* () {
    const { resolved } = yield* Audit
    const plain = yield* resolved(beginning)
    const over = Option.isSome(plain) ? plain : yield* resolved(`${prefix}${beginning}`)
    return Option.match(over, {
      onNone: () => ({}),
      onSome: ({ decided_by, outcome }) => ({ ended: { outcome: outcome ?? "", by: decided_by ?? "nobody" } })
    })
  })

/** The open request for any unique beginning of its id. */
const named = (beginning: string) =>
  Effect.gen(function* () {
    const waiting = yield* (yield* SessionStore).waiting(maxWaiting)
    const found = waiting.filter(({ request }) => begins(request.id, beginning))
    const [one] = found
    if (one !== undefined && found.length === 1) return one
    if (found.length > 1) return yield* new RequestNotOpen({ id: beginning, open: found.length })
    return yield* new RequestNotOpen({ id: beginning, open: 0, ...(yield* endOf(beginning)) })
  })

/** The whole request as the prompt shows it, with what it is bound to. */
const shown = ({ project, request }: WaitingApproval) =>
  Effect.gen(function* () {
    const { answer, style, width } = yield* Screen
    const lines = [titleLine(request), ...approvedLines(request), ...aboutLines(request), ...contextLines(request)]
    const rows = rowsOf(lines, Math.min(width(), 200) - 1, style)
    yield* answer(`${rows.map(({ text }) => text).join("\n")}\n`)
    yield* answer(style.dim(hanging("", `session ${request.sessionId} in ${project}`, width() - 1)))
  })

const services = (keys: boolean) =>
  Layer.mergeAll(Records.audit, Records.sessions, Records.decided).pipe(
    Layer.provideMerge(Frontend.layer({ split: false, keys })),
    Layer.provideMerge(Configuration.layer())
  )

/** An open request for programs. */
export const fieldsOf = ({ project, request }: WaitingApproval) => ({ kind: "request", project, ...request })

/** Shows one open request. */
export const show = ({ id, json }: { readonly id: string; readonly json: boolean }) =>
  Effect.flatMap(named(id), (waiting) => (json ? document(fieldsOf(waiting)) : shown(waiting))).pipe(
    Effect.provide(services(false))
  )

export interface AnswerOptions {
  readonly id: string
  /** `yes` or `no`. */
  readonly said: string
  readonly digest: Option.Option<string>
  readonly scope: Scope
  readonly reason: Option.Option<string>
  readonly json: boolean
}

/** Why an answer does not fit; nothing if it does. */
const misfit = (
  { digest, masked, scopes }: ApprovalRequest,
  given: Pick<AnswerOptions, "digest" | "said" | "scope">
): string | undefined => {
  if (Option.exists(given.digest, (one) => one.length < shortDigest || !digest.startsWith(one))) {
    return "the digest is not that of the request. Read it again by tollgate approvals show, and answer with the digest that it is bound to."
  }
  if (given.said === "no") return undefined
  if (masked !== undefined) {
    return "it has secrets that only the terminal of its session can show. Say yes there, or no here."
  }
  return scopes.includes(given.scope)
    ? undefined
    : `the scope ${given.scope} is not offered. Choose ${scopes.join(" or ")}.`
}

/** Reads whether the person who has seen the request says yes. */
const confirmed = (waiting: WaitingApproval) =>
  Effect.gen(function* () {
    const { interactive } = yield* Screen
    if (!interactive) {
      return yield* new NobodyToAsk({
        reason: "No terminal to show the request in. Read it by tollgate approvals show, and give --digest."
      })
    }
    yield* shown(waiting)
    const line = yield* (yield* Ui).question("Allow exactly this? y/N")
    return Option.exists(line, isYes)
  })

const person = (): string => {
  try {
    return os.userInfo().username.slice(0, 60)
  } catch {
    return "unknown"
  }
}

/** Who has the session of an answer that nobody has taken yet, and when the answer counts. */
const leftWith = (session: string) =>
  Effect.gen(function* () {
    const { handover } = yield* SessionStore
    const owner = yield* handover?.owner(session) ?? Effect.succeed(undefined)
    if (owner === undefined) {
      return `No process has the session open; the answer counts when it goes on: tollgate --session ${session}`
    }
    return isStopped(owner)
      ? `Process ${owner}, which has the session open, is stopped; the answer counts when it goes on: fg in its terminal, or kill -CONT ${owner}`
      : `Process ${owner}, which has the session open, has not taken the answer yet; it counts once it does.`
  })

/** Answers one open request, wherever it is asked. */
export const answer = (given: AnswerOptions) =>
  Effect.gen(function* () {
    // A command that a model runs is nobody who decides, also where it has cleared its environment.
    const isOwn = ProcessTable.descendsFrom(process.pid, `${markerName}=`)
    if (isOwn || Option.isSome(yield* Config.option(Config.string(markerName)))) {
      return yield* new UsageError({
        reason: "A command that Tollgate runs cannot answer requests. Answer in a terminal of your own."
      })
    }
    if (given.said !== "yes" && given.said !== "no") {
      return yield* new UsageError({ reason: `Answer yes or no, not ${JSON.stringify(given.said.slice(0, 40))}.` })
    }
    yield* unasked(given.json, given.said === "no" || Option.isSome(given.digest), "--digest")
    const waiting = yield* named(given.id)
    const { request } = waiting
    const id = shortId(request)
    const fault = misfit(request, given)
    if (fault !== undefined) return yield* new AnswerNotFitting({ id, reason: fault })
    const { answer: say } = yield* Screen
    if (given.said === "yes" && Option.isNone(given.digest) && !(yield* confirmed(waiting))) {
      return yield* say("Nothing was answered.\n")
    }
    const outcome = yield* answerElsewhere({
      approvalId: request.id,
      sessionId: request.sessionId,
      digest: request.digest,
      decision: given.said === "yes" ? "approve" : "deny",
      scope: given.scope,
      ...(Option.isSome(given.reason) ? { reason: given.reason.value } : {}),
      by: `user ${person()}`
    })
    const told = (taken: boolean, more: object = {}) => {
      const { id, sessionId, tool } = request
      const scope = given.said === "yes" ? { scope: given.scope } : {}
      return document({
        id,
        sessionId,
        tool,
        decision: given.said === "yes" ? "approve" : "deny",
        ...scope,
        taken,
        ...more
      })
    }
    const what = given.said === "yes" ? `allowed ${request.tool} (${given.scope})` : `denied ${request.tool}`
    if (outcome === "left") {
      if (given.json) return yield* told(false, { message: yield* leftWith(request.sessionId) })
      return yield* say(`Answered: ${what}. ${yield* leftWith(request.sessionId)}\n`)
    }
    if (outcome === "over") return yield* new RequestNotOpen({ id, open: 0, ...(yield* endOf(request.id)) })
    if (!outcome.taken) return yield* new AnswerNotFitting({ id, reason: outcome.message ?? "it was refused." })
    yield* given.json ? told(true) : say(`Answered: ${what}.\n`)
  }).pipe(Effect.provide(services(Option.isNone(given.digest) && !given.json)))
