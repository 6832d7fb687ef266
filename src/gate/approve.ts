import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isDeepStrictEqual } from "node:util"
import type { Foresee } from "../approval/Ahead.ts"
import { ApprovalStale, ApprovalUnavailable } from "../approval/ApprovalError.ts"
import { Approvals } from "../approval/Approvals.ts"
import { free, type Wanted } from "../approval/Decision.ts"
import { editedKey, editedOf } from "../approval/Request.ts"
import { deadline } from "../middleware/deadline.ts"
import { effectFrom, valueOf } from "../middleware/effectOf.ts"
import type { Middleware } from "../middleware/Middleware.ts"
import { named } from "../middleware/Step.ts"
import { fieldsOf } from "../text/fieldsOf.ts"
import { ownJson } from "../text/Json.ts"
import { ParametersInvalid } from "../tool/Parameters.ts"
import { Preview } from "../tool/Preview.ts"
import { Notified, trusted } from "../tool/ToolEvent.ts"
import { undecoded, type ToolCall } from "../tool/ToolCall.ts"
import { type Foretelling, GateBypassed, NotForetold, ParametersChanged, type Refused } from "./GateError.ts"
import { Passage, type Cleared } from "./Passage.ts"
import { decoded, isInvalid, same } from "./validate.ts"

/** How often a call is asked for whose targets change after each answer. */
const maxRounds = 3

/** How long a tool may look at the world for a decision on its call. */
const patience = Duration.minutes(1)

/** What a tool says of its call before it is decided on; a failure of it is the call's, whose type the toolset has. */
const soon = <A>({ callId, name: tool }: ToolCall, what: Foretelling, self: Effect.Effect<A>): Effect.Effect<A> =>
  deadline(self, {
    limit: patience,
    onTimeout: () => new NotForetold({ tool, callId, what, afterMillis: Duration.toMillis(patience) }) as never
  })

/** Whether the tool wants a decision; one that looks at the world may refuse the call by failing. */
const asksFor = (call: ToolCall): Wanted | Effect.Effect<Wanted> => {
  const need = call.tool.approval
  if (typeof need !== "function") return need === "always" && need
  const asks = valueOf("its approval", need(call.params as never) as Wanted | Effect.Effect<Wanted>)
  return Effect.isEffect(asks) ? soon(call, "approval", asks) : asks
}

const readPreview = fieldsOf(Preview)

/** What the call would do, by the tool's own word; a preview that fails is the call's failure. */
const previewOf = (call: ToolCall): Effect.Effect<Preview | undefined> => {
  const make: ((params: never) => unknown) | undefined = call.tool.preview
  if (make === undefined) return Effect.succeed(undefined)
  const made = effectFrom("its preview", () => make(call.params as never) as Effect.Effect<unknown>)
  return Effect.flatMap(soon(call, "preview", made), (given) =>
    given === undefined
      ? Effect.succeed(undefined)
      : Effect.orDieWith(readPreview(given), () => new TypeError("its preview gave something else than a preview"))
  )
}

/**
 * The same call with its own copy of the parameters, which holders of the original cannot change after the decision.
 */
const detached = <Self extends ToolCall>(call: Self): Self | Exclude<ReturnType<typeof decoded>, ToolCall> => {
  const own = ownJson(call.rawParams)
  return Option.isNone(own)
    ? new ParametersInvalid({ tool: call.name, issues: [{ path: "", message: "is not JSON" }] })
    : decoded({ ...call, rawParams: own.value, params: undecoded })
}

const clear = (
  passage: Passage,
  given: unknown,
  { params, rawParams }: ToolCall,
  rest: Partial<Cleared> = {}
): void => {
  passage.cleared = { given, rawParams, params, told: undefined, stillHolds: undefined, ...rest }
}

/** Asks until what was shown still holds. */
const ask = <Self extends ToolCall>(
  passage: Passage,
  approvals: Approvals["Type"],
  given: unknown,
  call: Self,
  asks: Wanted,
  round = 1,
  answer = approvals.request(call, asks, previewOf(call))
): Effect.Effect<Self, Refused> =>
  Effect.flatMap(
    answer,
    ({
      approvedBy,
      confined,
      edited,
      preview,
      ruled,
      stillHolds,
      withheld,
      withheldFrom
    }): Effect.Effect<Self, Refused> => {
      if (edited !== undefined) return replaced(passage, approvals, given, call, edited.parameters)
      if (stillHolds === undefined) {
        clear(passage, given, call)
        return Effect.succeed(call)
      }
      return Effect.flatMap(stillHolds, (holds): Effect.Effect<Self, Refused> => {
        if (!holds) {
          return round < maxRounds
            ? ask(passage, approvals, given, call, asks, round + 1)
            : new ApprovalStale({ tool: call.name, callId: call.callId, rounds: maxRounds })
        }
        const told = {
          ...(confined && { confined }),
          ...(withheld && { withheld }),
          ...(withheldFrom && { withheldFrom }),
          ...(ruled && { ruled }),
          ...((asks !== false || preview !== undefined) && { decided: true, ...(preview && { preview }) })
        }
        clear(passage, given, call, { told, stillHolds, ...(approvedBy !== undefined && { approvedBy }) })
        return Effect.succeed({ ...call, ...told })
      })
    }
  )

/**
 * Asks about the call with what a person put in place of its parameters, which a person decides on whatever the tool says of
 * them. If they do not fit the tool, the call is asked about as it was.
 */
const replaced = <Self extends ToolCall>(
  passage: Passage,
  approvals: Approvals["Type"],
  given: unknown,
  call: Self,
  parameters: unknown
): Effect.Effect<Self, Refused> =>
  Effect.suspend(() => {
    const { [editedKey]: _, ...metadata } = call.metadata
    const edited = detached({
      ...call,
      metadata: { ...metadata, [editedKey]: { parameters } },
      rawParams: parameters,
      params: undecoded
    })
    if (!isInvalid(edited)) {
      passage.edited = true
      return ask(passage, approvals, given, edited, true)
    }
    const unfit = {
      level: "warning",
      title: "Parameters not changed",
      message: edited.message,
      durationMillis: 0
    } as const
    return Effect.zipRight(
      call.sink.emit(new Notified(unfit, trusted)),
      ask(passage, approvals, given, { ...call, metadata }, true)
    )
  })

/** What was decided before on these very parameters, which came as `given`. */
const settled = <Self extends ToolCall>(
  passage: Passage,
  call: Self,
  given = call.rawParams
): Passed<Self> | undefined => {
  const { cleared, refused } = passage
  if (
    cleared !== undefined &&
    (isDeepStrictEqual(cleared.rawParams, given) || isDeepStrictEqual(cleared.given, given))
  ) {
    const { params, rawParams, told } = cleared
    const same = told === undefined && params === call.params && rawParams === call.rawParams
    return same ? call : { ...call, rawParams, params, ...told }
  }
  return refused !== undefined && refused.rawParams === given ? Effect.fail(refused.why) : undefined
}

const decide = <Self extends ToolCall>(
  passage: Passage,
  context: Context.Context<never>,
  call: Self,
  asks: Wanted,
  given: unknown
): Passed<Self> => {
  const approvals = Context.getOption(context, Approvals)
  if (approvals._tag === "None") {
    if (asks !== false) return new ApprovalUnavailable({ tool: call.name, callId: call.callId })
    clear(passage, given, call)
    return call
  }
  const own = detached({ ...call, ...passage.own(call) })
  if (isInvalid(own)) return Effect.fail(own)
  // What is decided on, shown and run are decoded each for itself: a schema that looks at a clock would make them differ.
  if (!same(own.params, call.params)) {
    const { params, rawParams } = own
    // What JSON says otherwise, such as -0, is decided on as JSON says it.
    return isDeepStrictEqual(rawParams, call.rawParams)
      ? new ParametersChanged({ tool: call.name })
      : asked(passage, context, { ...call, rawParams, params }, given)
  }
  const { metadata, sink } = call
  /** Of a person who was asked before a restart. */
  const edited = passage.edited ? undefined : editedOf(own)
  const answer = passage.busy || edited !== undefined ? undefined : approvals.value.request(own, asks, previewOf(own))
  if (answer === free) {
    clear(passage, given, own)
    return { ...own, metadata, sink }
  }
  return passage.alone(
    Effect.suspend(() => {
      const known = settled(passage, call, given)
      if (known !== undefined) return Effect.isEffect(known) ? known : Effect.succeed(known)
      // A question is answered before the start of what it is about.
      if (passage.started) return new ParametersChanged({ tool: call.name, started: true })
      const cleared =
        edited === undefined
          ? ask(passage, approvals.value, given, own, asks, 1, answer)
          : replaced(passage, approvals.value, given, own, edited.parameters)
      return Effect.mapBoth(cleared, {
        onFailure: (why) => {
          passage.refused = { rawParams: given, why }
          return why
        },
        onSuccess: (passed) => ({ ...passed, metadata, sink })
      })
    })
  )
}

/** Decides on a call by whether its tool wants that. */
const asked = <Self extends ToolCall>(
  passage: Passage,
  context: Context.Context<never>,
  call: Self,
  given: unknown
): Passed<Self> => {
  const asks = asksFor(call)
  if (!Effect.isEffect(asks)) return decide(passage, context, call, asks, given)
  return Effect.flatMap(asks, (wanted) => {
    const passed = decide(passage, context, call, wanted, given)
    return Effect.isEffect(passed) ? passed : Effect.succeed(passed)
  })
}

/**
 * What a person would be asked about a call by now, if anything. No step of its stack is passed: where one of them changes the call,
 * it asks for something else in its turn.
 */
export const foreseen = (call: ToolCall, foresee: Foresee): ReturnType<Foresee> =>
  Effect.suspend(() => {
    const own = detached(call)
    if (isInvalid(own)) return Effect.succeed(undefined)
    const asks = asksFor(own)
    return Effect.flatMap(Effect.isEffect(asks) ? asks : Effect.succeed(asks), (wanted) =>
      foresee(own, wanted, previewOf(own))
    )
  })

/** A call that may run; given at once where nobody is asked. */
export type Passed<Self> = Self | Effect.Effect<Self, Refused>

/**
 * The call as it may run: decoded from `rawParams` and decided on, once for the same parameters. A call that nobody can
 * decide on fails. `context` has the services of the calling fiber.
 */
const pass = <Self extends ToolCall>(call: Self, context: Context.Context<never>): Passed<Self> => {
  const passage = Passage.of(call)
  if (passage === undefined || passage.ended || !passage.isOf(call)) return new GateBypassed({ tool: call.name })
  const ready = decoded(call)
  if (isInvalid(ready)) return Effect.fail(ready)
  const known = settled(passage, ready)
  if (known !== undefined) return known
  if (passage.gate._tag === "Unguarded") {
    clear(passage, ready.rawParams, ready)
    return ready
  }
  return asked(passage, context, ready, ready.rawParams)
}

/** Goes on with a call that has passed. */
export const passing = <Self extends ToolCall, A, E, R>(
  call: Self,
  next: (call: Self) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | Refused, R> =>
  Effect.withFiberRuntime<A, E | Refused, R>(({ currentContext }) => {
    const passed = pass(call, currentContext)
    return Effect.isEffect(passed) ? Effect.flatMap(passed, next) : next(passed)
  })

/**
 * The place of the decision in a stack: steps outside it also see refused calls, steps inside it (deadlines, retries,
 * limits) do not count the wait for a decision. In a stack without it the decision is made right before the handler.
 */
export const approve: Middleware<ToolCall, { fails: Refused }> = named<ToolCall, { fails: Refused }>(
  "approval",
  "",
  passing
)
