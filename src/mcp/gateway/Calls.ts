import type { ElicitRequest, InputRequiredResult, LoggingLevel, RequestStateCodec } from "@modelcontextprotocol/server"
import type * as Library from "@modelcontextprotocol/server"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as crypto from "node:crypto"
import { memo } from "../../system/memo.ts"
import { makeVisible } from "../../text/visible.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"
import { ParametersInvalid, unsound } from "../../tool/Parameters.ts"
import type { Answers, Inquiries, ServerProgress } from "../Audience.ts"
import type { CallResult } from "../ServerResult.ts"
import { ServerRefused } from "../McpError.ts"
import { plain } from "../ProtoName.ts"
import { canElicit, capabilitiesOf, type ClientCall, mayBeLost, unheard } from "./ClientCall.ts"
import type { Gateway } from "./Gateway.ts"
import { answerOf, type Elicitation, pendingText, questionOf } from "./Question.ts"
import { type Running, until, within } from "./Running.ts"
import type { Listener } from "./Talk.ts"

/** What a client must give back to answer what it was asked: signed, for a while, once. */
export interface State {
  readonly key: string
  readonly task: string
  readonly approval: string | undefined
  readonly nonce: string
}

/** What a call is answered with: its result, or a question that comes first. */
export type Answered = CallResult | InputRequiredResult

/** How often a client hears of a call that goes on. */
const pulse = "5 seconds"

/** How long it may take until a lost connection is noticed behind the call that is made again over another one. */
const notice = "50 millis"

const failed = (text: string): CallResult => ({ content: [{ type: "text", text: makeVisible(text) }], isError: true })

/** The text of a result. */
export const saidOf = ({ content }: CallResult): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")

/** What was read, under the URIs that it has for the client. */
export const withUris = (result: unknown, uri: (own: string) => string): unknown =>
  Predicate.isReadonlyRecord(result) && Array.isArray(result["contents"])
    ? {
        ...result,
        contents: result["contents"].map((content: unknown) =>
          Predicate.isReadonlyRecord(content) && typeof content["uri"] === "string"
            ? { ...content, uri: uri(content["uri"]) }
            : content
        )
      }
    : result

/** What a call needs of its client before it can go on. */
type Need =
  | { readonly _tag: "Over" }
  | { readonly _tag: "Asks"; readonly inquiries: Inquiries; readonly approval: ApprovalRequest | undefined }

/** Answers the calls of clients. */
export const make = ({
  codec,
  elicitation,
  gateway,
  library,
  patience
}: {
  readonly gateway: Gateway
  readonly elicitation: Elicitation
  readonly patience: Duration.Duration
  readonly library: typeof Library
  readonly codec: RequestStateCodec<State>
}) => {
  /** The states that each call has had back. */
  const usedOf = memo(new WeakMap<Running, Set<string>>(), () => new Set())

  /** The answers that a client has come back with, if they are to what it was asked. */
  const taken = ({ by, ctx }: ClientCall, key: string, running: Running) =>
    Effect.suspend(() => {
      const state = ctx.mcpReq.requestState<State>()
      const { inputResponses } = ctx.mcpReq
      if (inputResponses === undefined) return Effect.void
      const { approval, ...others } = plain(inputResponses)
      if (state === undefined) {
        // Forms of servers may be filled in ahead; a decision is one on what was shown.
        running.talk.answer(others as Answers)
        return Effect.void
      }
      const used = usedOf(running)
      if (state.key !== key || state.task !== running.task || used.has(state.nonce)) return Effect.void
      used.add(state.nonce)
      running.talk.answer(others as Answers)
      const request = running.open()
      const answer = approval === undefined ? undefined : answerOf(approval)
      return answer === undefined || request === undefined || state.approval !== request.id
        ? Effect.void
        : gateway.decide(running, by, request, answer)
    })

  /** Who hears of a call while a request stands for it. */
  const hearing = ({ ctx, server }: ClientCall) => {
    const progressToken = ctx.mcpReq._meta?.progressToken
    let last: ServerProgress | undefined
    const tell = (progress: ServerProgress) =>
      progressToken === undefined
        ? Promise.resolve()
        : ctx.mcpReq
            .notify({ method: "notifications/progress", params: { progressToken, ...progress } })
            .catch(() => {})
    const envelope: unknown = ctx.mcpReq.envelope
    const logLevel = Predicate.isReadonlyRecord(envelope) ? envelope[library.LOG_LEVEL_META_KEY] : undefined
    const listener: Listener = {
      capabilities: capabilitiesOf(server, ctx, library.CLIENT_CAPABILITIES_META_KEY),
      ...(typeof logLevel === "string" ? { logLevel: logLevel as LoggingLevel } : {}),
      hear: (progress) => {
        last = progress
        void tell(progress)
      },
      log: ({ data, level, logger }) => void ctx.mcpReq.log(level, data, logger).catch(() => {})
    }
    /** Tells a client that wants to hear of it that the call goes on. */
    const beating = (running: Running) => {
      if (progressToken === undefined) return undefined
      let beat = 0
      const tick = Effect.promise(() => {
        const message = running.open() === undefined ? "running" : "waiting for approval"
        return tell(last ?? { progress: ++beat, message })
      })
      return Effect.zipRight(Effect.repeat(Effect.delay(tick, pulse), Schedule.forever), Effect.never)
    }
    return { listener, beating }
  }

  /** The result of a call that is over. */
  const concluded = (running: Running): Effect.Effect<CallResult, ServerRefused> =>
    Effect.suspend(() => {
      const refusal = running.talk.refusal()
      return refusal === undefined || running.talk.given() !== undefined
        ? gateway.resultOf(running)
        : new ServerRefused({ code: refusal.code, reason: refusal.message, data: refusal.data })
    })

  /** Puts questions to a client of the earlier revisions, whose answers come while the call waits. */
  const asked = (
    { by, ctx }: ClientCall,
    running: Running,
    { approval, inquiries }: Need & { readonly _tag: "Asks" }
  ) =>
    Effect.gen(function* () {
      const form = approval === undefined ? undefined : questionOf(approval, elicitation)
      const put = <A>(inquiry: Inquiries[string]) =>
        Effect.option(
          Effect.tryPromise(
            (signal) =>
              ctx.mcpReq
                .send(inquiry as ElicitRequest, { signal, timeout: Duration.toMillis(patience) })
                .then(plain) as Promise<A>
          )
        )
      yield* Effect.forEach(
        Object.entries(inquiries),
        ([name, inquiry]) =>
          Effect.map(put<Answers[string]>(inquiry), (reply) =>
            running.talk.answer({ [name]: Option.getOrUndefined(reply) as Answers[string] })
          ),
        { concurrency: "unbounded", discard: true }
      )
      if (approval === undefined || form === undefined) return
      const reply = yield* put({ method: "elicitation/create", params: form })
      const answer = Option.isSome(reply) ? answerOf(reply.value) : undefined
      if (answer !== undefined) yield* gateway.decide(running, by, approval, answer)
    })

  /** Waits for the end of a call, and puts to its client what it needs until then. */
  const answered = (
    call: ClientCall,
    key: string,
    running: Running,
    dismissed: string | undefined
  ): Effect.Effect<Answered, ServerRefused> =>
    Effect.gen(function* () {
      const { ctx, era, server } = call
      const shows = canElicit(capabilitiesOf(server, ctx, library.CLIENT_CAPABILITIES_META_KEY))
      const need = (): Need | undefined => {
        if (running.isOver() || gateway.isAnswered(running)) return { _tag: "Over" }
        const inquiries = running.talk.open()
        const request = running.open()
        const approval =
          shows && request !== undefined && request.id !== dismissed && questionOf(request, elicitation) !== undefined
            ? request
            : undefined
        return approval === undefined && Object.keys(inquiries).length === 0
          ? undefined
          : { _tag: "Asks", inquiries, approval }
      }
      const found = yield* within(running.talk, need, patience)
      if (found === undefined) {
        const request = running.open()
        // It runs, and what runs has limits of its own.
        if (request === undefined) return yield* answered(call, key, running, dismissed)
        yield* gateway.leave(running)
        return failed(pendingText(request))
      }
      if (found._tag === "Over")
        return yield* Effect.onExit(concluded(running), (exit) =>
          Exit.isInterrupted(exit) ? Effect.void : gateway.settled(running)
        )
      const { approval, inquiries } = found
      if (era === "modern") {
        const form = approval === undefined ? undefined : questionOf(approval, elicitation)
        const state = { key, task: running.task, approval: approval?.id, nonce: crypto.randomUUID() }
        const requestState = yield* Effect.promise(() => codec.mint(state, ctx))
        yield* gateway.leave(running)
        return library.inputRequired({
          inputRequests: {
            ...inquiries,
            ...(form === undefined ? {} : { approval: library.inputRequired.elicit(form) })
          },
          requestState
        })
      }
      // Somebody else may answer it first.
      const settled = until(running.talk, () =>
        running.isOver() ||
        gateway.isAnswered(running) ||
        (approval !== undefined && running.open()?.id !== approval.id)
          ? true
          : undefined
      )
      yield* Effect.raceFirst(asked(call, running, found), settled)
      return yield* answered(call, key, running, approval?.id ?? dismissed)
    })

  /** Leaves a call whose answer nobody hears to the equal one that comes next; the answer is still that of the call. */
  const lost = ({ tool }: ClientCall, running: Running) =>
    Effect.gen(function* () {
      yield* gateway.lost(running, tool)
      yield* until(running.talk, () => running.isOver() || gateway.isAnswered(running) || undefined)
      return yield* concluded(running)
    })

  const called = (call: ClientCall): Effect.Effect<Answered, ServerRefused> =>
    Effect.gen(function* () {
      const { by, ctx, parameters, tool } = call
      const problem = unsound(parameters)
      if (problem !== undefined) return failed(new ParametersInvalid({ tool, issues: [problem] }).message)
      const { beating, listener } = hearing(call)
      const wanted = { tool, parameters, by, listener, task: ctx.mcpReq.requestState<State>()?.task }
      const key = yield* gateway.keyOf(wanted)
      if (mayBeLost(call) && gateway.isHeard(key)) yield* Effect.sleep(notice)
      let isLost = false
      const heardOut = (running: Running) =>
        Effect.gen(function* () {
          yield* taken(call, key, running)
          const closed = ctx.mcpReq.inputResponses?.["approval"] === undefined ? undefined : running.open()?.id
          const answer = answered(call, key, running, closed)
          const beat = beating(running)
          const heard = beat === undefined ? answer : Effect.raceFirst(answer, beat)
          const first = yield* Effect.raceFirst(Effect.asSome(heard), Effect.as(unheard(call), Option.none()))
          if (Option.isSome(first)) return first.value
          isLost = true
          return yield* lost(call, running)
        })
      // What is begun is heard out or dropped, also where it is taken back in that moment.
      return yield* Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(gateway.begin(key, wanted), (running) =>
          restore(heardOut(running)).pipe(
            // One that its client was told to come back for is nobody's to drop, nor one that another request has taken up.
            Effect.onInterrupt(() => {
              const isOwn = isLost ? running.talk.isHeardBy(listener) : !running.detached
              return isOwn ? gateway.dropped(running, tool) : Effect.void
            }),
            Effect.ensuring(Effect.sync(() => running.talk.leave(listener)))
          )
        )
      )
    }).pipe(Effect.catchTag("CallRefused", ({ message }) => Effect.succeed(failed(message))))

  return { called }
}
