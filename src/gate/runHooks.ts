import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { deadline } from "../middleware/deadline.ts"
import { effectFrom } from "../middleware/effectOf.ts"
import type { Middleware } from "../middleware/Middleware.ts"
import { named } from "../middleware/Step.ts"
import { After, Before, type Hook, type HookFailure, type HooksOf, type Outcome } from "../tool/Hook.ts"
import { undecoded, type ToolCall } from "../tool/ToolCall.ts"
import { HookIntervened, trusted } from "../tool/ToolEvent.ts"
import { ToolResult } from "../tool/ToolResult.ts"
import { duration } from "../text/duration.ts"
import { Passage } from "./Passage.ts"

/** A hook decided that the call fails. */
export class HookAborted extends Schema.TaggedError<HookAborted>()("HookAborted", {
  tool: Schema.String,
  hook: Schema.String,
  event: Schema.Literal("pre", "post"),
  reason: Schema.String
}) {
  override get message() {
    return this.event === "pre"
      ? `${this.tool} was not run: the hook "${this.hook}" stopped it: ${this.reason}`
      : `${this.tool} ran, but the hook "${this.hook}" rejected the outcome: ${this.reason}`
  }
}

/** A hook could not do its work, and it is configured to fail the call then. */
export class HookFailed extends Schema.TaggedError<HookFailed>()("HookFailed", {
  tool: Schema.String,
  hook: Schema.String,
  event: Schema.Literal("pre", "post"),
  reason: Schema.String
}) {
  override get message() {
    const so = this.event === "pre" ? "so it was not run" : "after it ran"
    return `The hook "${this.hook}" of ${this.tool} failed, ${so}: ${this.reason}. The user can fix it or set onFailure to "skip".`
  }
}

export type HookError = HookAborted | HookFailed

const maxReason = 500

/** Bounded and without a stack. */
const brief = (text: unknown): string => {
  const said = String(text).trim()
  return said === "" ? "no reason given" : said.slice(0, maxReason).toWellFormed()
}

const described = (cause: Cause.Cause<HookFailure>): string =>
  Option.match(Cause.failureOption(cause), {
    onSome: ({ message }) => brief(message),
    onNone: () => {
      if (Cause.isInterruptedOnly(cause)) return "it was interrupted"
      const defect = Cause.squash(cause)
      return brief(`it crashed: ${defect instanceof Error ? defect.message : String(defect)}`)
    }
  })

const reasonOf = (cause: Cause.Cause<HookFailure>): string => {
  try {
    return described(cause)
  } catch {
    return "it failed without a message"
  }
}

const intervened = (call: ToolCall, hook: Hook<unknown>, action: HookIntervened["action"], reason: string) =>
  call.sink.emit(
    new HookIntervened(
      { callId: call.callId, tool: call.name, hook: hook.name, event: hook.event, action, reason },
      trusted
    )
  )

/**
 * Runs one hook and reads its decision; what goes wrong in either fails the call or gives `otherwise`, as the hook declares.
 */
const guarded = <A, B, R>(
  call: ToolCall,
  hook: Hook<R>,
  run: () => Effect.Effect<A, HookFailure, R>,
  read: (decision: A) => B,
  otherwise: B
): Effect.Effect<B, HookFailed, R> => {
  const started = Effect.map(effectFrom("it", run), read)
  const bounded =
    hook.timeout === undefined
      ? started
      : deadline(started, {
          limit: Duration.decode(hook.timeout),
          onTimeout: (_, after): HookFailure => ({
            message: `it did not answer within ${duration(Duration.toMillis(after))}`
          })
        })
  return Effect.catchAllCause(bounded, (cause): Effect.Effect<B, HookFailed> => {
    const reason = reasonOf(cause)
    const skip = hook.onFailure === "skip"
    return Effect.zipRight(
      intervened(call, hook, skip ? "skipped" : "failed", reason),
      skip
        ? Effect.succeed(otherwise)
        : Effect.fail(new HookFailed({ tool: call.name, hook: hook.name, event: hook.event, reason }))
    )
  })
}

type Decided<A> = A & { readonly answer?: ToolResult; readonly reason?: string }

/** The decision with its reason bounded and its result made; throws where it is none. */
const read =
  <A extends Before | After>(neutral: A["_tag"], ...others: ReadonlyArray<A["_tag"]>) =>
  (decision: A): Decided<A> => {
    const tag = decision?._tag
    if (tag === neutral) return decision
    if (!others.includes(tag)) throw new TypeError("it did not return a decision")
    const { reason, result } = decision as { readonly reason?: unknown; readonly result?: unknown }
    const answers = "result" in decision && (result !== undefined || tag === "Replace")
    return { ...decision, reason: brief(reason ?? ""), ...(answers && { answer: ToolResult.of(result) }) }
  }

const readBefore = read<Before>("Continue", "Abort", "Replace")
const readAfter = read<After>("Keep", "Replace", "Fail")
const proceed = Before.Continue()
const keep = After.Keep()

type Prepared<Self> = { readonly call: Self } | { readonly answer: ToolResult }

/** The call as the pre hooks leave it, or what one of them answers in its place. */
const before = <Self extends ToolCall, R>(
  hooks: HooksOf<R>["pre"],
  call: Self,
  index = 0
): Effect.Effect<Prepared<Self>, HookError, R> => {
  const hook = hooks[index]
  if (hook === undefined) return Effect.succeed({ call })
  return Effect.flatMap(
    guarded(call, hook, () => hook.run(call), readBefore, proceed),
    (decision): Effect.Effect<Prepared<Self>, HookError, R> => {
      switch (decision._tag) {
        case "Continue":
          return before(hooks, call, index + 1)
        case "Replace": {
          const replaced = { ...call, rawParams: decision.parameters, params: undecoded }
          return Effect.zipRight(
            intervened(call, hook, "replaced", "other parameters"),
            before(hooks, replaced, index + 1)
          )
        }
        case "Abort": {
          const { answer, reason } = decision
          return answer !== undefined
            ? Effect.as(intervened(call, hook, "answered", reason), { answer })
            : Effect.zipRight(
                intervened(call, hook, "aborted", reason),
                new HookAborted({ tool: call.name, hook: hook.name, event: "pre", reason })
              )
        }
      }
    }
  )
}

const isFailure = (error: unknown): error is { readonly _tag: string; readonly message: string } =>
  typeof error === "object" && error !== null && "_tag" in error && "message" in error

/** The call with what ran, where a person or a step has put other parameters in place of those that it came with. */
const ran = (call: ToolCall): ToolCall => {
  const entered = Passage.of(call)?.entered
  return entered === undefined ? call : { ...call, rawParams: entered.rawParams, params: entered.params }
}

/** The outcome as the post hooks leave it. */
const after = <A, E, R>(
  hooks: HooksOf<R>["post"],
  call: ToolCall,
  ended: Either.Either<A, E | HookError>,
  index = 0
): Effect.Effect<A, E | HookError, R> => {
  const hook = hooks[index]
  if (hook === undefined) return ended
  const shown: Outcome = Either.mapBoth(ended, {
    onLeft: (error) => (isFailure(error) ? error : { _tag: "Error", message: String(error) }),
    onRight: (result) => (result instanceof ToolResult ? result : ToolResult.of(result))
  })
  return Effect.flatMap(
    guarded(call, hook, () => hook.run(call, shown), readAfter, keep),
    (decision): Effect.Effect<A, E | HookError, R> => {
      switch (decision._tag) {
        case "Keep":
          return after(hooks, call, ended, index + 1)
        case "Replace": {
          // The chain of a tool gives a `ToolResult`, although the type of a middleware does not say so.
          const replaced = Either.right(decision.answer as A)
          return Effect.zipRight(
            intervened(call, hook, "replaced", "another result"),
            after<A, E, R>(hooks, call, replaced, index + 1)
          )
        }
        case "Fail": {
          const { reason } = decision
          const failed = Either.left(new HookAborted({ tool: call.name, hook: hook.name, event: "post", reason }))
          return Effect.zipRight(
            intervened(call, hook, "aborted", reason),
            after<A, E, R>(hooks, call, failed, index + 1)
          )
        }
      }
    }
  )
}

/** Runs the hooks of a tool around it, once for all attempts; post hooks see typed failures, not bugs or interruptions. */
export const runHooks = <R>(hooks: HooksOf<R>): Middleware<ToolCall, { fails: HookError; requires: R }> => {
  const around: Middleware<ToolCall, { fails: HookError; requires: R }> = <Self extends ToolCall, A, E, R2>(
    call: Self,
    next: (call: Self) => Effect.Effect<A, E, R2>
  ) =>
    Effect.flatMap(before(hooks.pre, call), (prepared): Effect.Effect<A, E | HookError, R | R2> => {
      // See above: `A` is `ToolResult`.
      if ("answer" in prepared) return Effect.succeed(prepared.answer as A)
      return hooks.post.length === 0
        ? next(prepared.call)
        : Effect.flatMap(Effect.either(next(prepared.call)), (ended) =>
            after<A, E, R>(hooks.post, ran(prepared.call), ended)
          )
    })
  const names = [...hooks.pre, ...hooks.post].map(({ name }) => name)
  return named("hooks", names.join(", "), around)
}
