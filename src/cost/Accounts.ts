import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isCount, type Usage } from "./Usage.ts"
import { Ids } from "../tool/Ids.ts"
import type { LedgerFailed } from "./Book.ts"
import { type Alert, type BudgetReached, placesOf, PriceUnknown, raised } from "./Budget.ts"
import { type Budgets, type Limits, limitsOf, unknownPriceOf } from "./Budgets.ts"
import { dayOf } from "./calendar.ts"
import type { Charge } from "./Charge.ts"
import { Ledger } from "./Ledger.ts"
import type { CostError } from "./CostError.ts"
import type { Payer } from "./Payer.ts"
import type { NanoUsd } from "./Money.ts"
import { costOf, counted, isFree, isPrice, mostOf, type Price } from "./Price.ts"
import { priceOf } from "./prices.ts"
import type { Terms } from "./Terms.ts"

/** An attempt that is about to be sent. */
export interface Attempt {
  readonly payer: Payer
  /** The profile that was asked for. */
  readonly profile: string
  readonly terms: Terms
  /** From 1. */
  readonly number: number
  /** The most tokens that the request can be, which is looked at only where it counts. */
  readonly inputTokens: () => number
}

/** How an attempt ended. */
export interface Ending {
  readonly outcome: Exclude<Charge["outcome"], "lost">
  /** What the server counted; unset if it told nothing. */
  readonly usage?: Usage
  /** About how many tokens of an answer came; unset if none did. */
  readonly outputTokens?: number
  readonly tools?: ReadonlyArray<string>
}

/** What an attempt came to. */
export interface Settled {
  readonly charge: Charge
  /** Whether its model is free. */
  readonly free: boolean
  readonly alerts: ReadonlyArray<Alert>
}

/** An attempt whose money is held back. */
export interface Opened {
  /** Once, however the attempt ends. */
  readonly settle: (ending: Ending) => Effect.Effect<Settled>
}

/** Tokens of an answer that are reserved where nothing bounds it; `Host` has the servers bound it where a budget applies. */
export const assumedOutput = 16_384

export interface Shape {
  /** Reserves what the attempt may cost. */
  readonly open: (attempt: Attempt) => Effect.Effect<Opened, CostError>
  /**
   * Lets a person raise a budget that was reached: runs `ask`, one at a time and once for each limit of a task, and gives whether
   * the attempt is worth another try. Unset where requests that do not fit are refused.
   */
  readonly raise?: (payer: Payer, reached: BudgetReached, ask: Effect.Effect<boolean>) => Effect.Effect<boolean>
}

/** Limits that are remembered as not to be raised. */
const maxDenied = 1000

const none = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 }

const isNothing = ({ inputTokens, outputTokens }: Usage): boolean => inputTokens === 0 && outputTokens === 0

/** What is known of the usage: what the server counted, else what was sent and came, else nothing. */
const usageOf = ({ inputTokens }: Attempt, { outputTokens, usage }: Ending, price: Price | undefined) => {
  if (usage !== undefined && !isNothing(usage)) return { usage, estimated: false }
  return outputTokens === undefined || (price !== undefined && isFree(price))
    ? { usage: none, estimated: false }
    : { usage: { ...none, inputTokens: inputTokens(), outputTokens }, estimated: true }
}

export interface AccountsOptions {
  readonly budgets: Budgets
  /** The budgets as they are by now; read before a request is refused, as a person may have raised them. */
  readonly current?: Effect.Effect<Budgets>
  /** Runs for each alert. */
  readonly alerted?: (alert: Alert) => Effect.Effect<void>
}

/** Who keeps account of model requests: prices and events where no layer is provided, and no more. */
export class Accounts extends Context.Reference<Accounts>()("tollgate/cost/Accounts", {
  defaultValue: (): Shape => ({ open: (attempt) => Effect.succeed(unkept(attempt)) })
}) {
  /** Books every attempt in the ledger and holds the budgets. */
  static readonly layer = (options: AccountsOptions): Layer.Layer<Accounts, never, Ledger> =>
    Layer.scoped(
      Accounts,
      Effect.suspend(() => make(options))
    )
}

const charged = (
  attempt: Attempt,
  ending: Ending | undefined,
  price: Price | undefined,
  time: number
): Charge & { readonly free: boolean } => {
  const { number, payer, profile, terms } = attempt
  const { estimated, usage } =
    ending === undefined
      ? { usage: { ...none, inputTokens: attempt.inputTokens() }, estimated: true }
      : usageOf(attempt, ending, price)
  return {
    payer,
    time,
    day: dayOf(time),
    profile: terms.profile ?? profile,
    model: terms.name,
    attempt: number,
    outcome: ending?.outcome ?? "lost",
    usage: counted(usage),
    ...(price === undefined ? (isNothing(usage) ? { amount: 0 } : {}) : { amount: costOf(price, usage) }),
    estimated,
    tools: [...new Set(ending?.tools)],
    free: price !== undefined && isFree(price)
  }
}

const settled = ({ free, ...charge }: ReturnType<typeof charged>, alerts: ReadonlyArray<Alert> = []): Settled => ({
  charge,
  free,
  alerts
})

const knownPrice = ({ name, price }: Terms): Price | undefined =>
  price === undefined ? priceOf(name) : isPrice(price) ? price : undefined

/** The most tokens that an answer may have. */
const longest = ({ maxOutputTokens }: Terms): number =>
  maxOutputTokens !== undefined && isCount(maxOutputTokens) ? maxOutputTokens : assumedOutput

const unkept = (attempt: Attempt): Opened => ({
  settle: (ending) =>
    Effect.map(Clock.currentTimeMillis, (time) => settled(charged(attempt, ending, knownPrice(attempt.terms), time)))
})

const make = ({ alerted, budgets: initial, current }: AccountsOptions) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const scope = yield* Effect.scope
    const ids = yield* Ids
    let budgets = initial
    limitsOf(budgets)
    unknownPriceOf(budgets)
    /** Budgets that a person has raised, by scope and place; and the limits that they have not raised, by task. */
    const granted = new Map<string, NanoUsd>()
    const denied = new Set<string>()
    const one = Effect.unsafeMakeSemaphore(1)
    const keyOf = (scope: string, place: string) => JSON.stringify([scope, place])
    const standing = (places: ReturnType<typeof placesOf>): Limits =>
      new Map(
        [...limitsOf(budgets)]
          .filter(([scope]) => places[scope] !== "")
          .map(([scope, limit]) => [scope, Math.max(limit, granted.get(keyOf(scope, places[scope])) ?? 0)])
      )
    const unwritten = (error: LedgerFailed) => Effect.logError(error.message)

    const reserve = (attempt: Attempt) =>
      Effect.gen(function* () {
        const time = yield* Clock.currentTimeMillis
        const { payer, profile, terms } = attempt
        const places = placesOf(payer, dayOf(time))
        const limits = standing(places)
        const listed = knownPrice(terms)
        const price = listed ?? unknownPriceOf(budgets)
        const of = { places, limits, price }
        if (limits.size === 0) return { ...of, price: listed }
        if (price === undefined) {
          return yield* new PriceUnknown({ profile: terms.profile ?? profile, model: terms.name })
        }
        if (isFree(price)) return of
        const amount = mostOf(price, attempt.inputTokens(), longest(terms))
        const id = yield* ids.next("reservation")
        const { free: _, ...ifLost } = charged(attempt, undefined, price, time)
        yield* ledger.reserve({ id, places, amount, ifLost }, limits)
        return { ...of, reservation: id }
      })

    const open = (attempt: Attempt): Effect.Effect<Opened, CostError> =>
      reserve(attempt).pipe(
        Effect.catchAll((refused) =>
          current === undefined || refused._tag === "LedgerFailed"
            ? Effect.fail(refused)
            : Effect.flatMap(current, (found) => {
                budgets = found
                return reserve(attempt)
              })
        ),
        Effect.map(({ price, ...of }) => ({
          settle: (ending) =>
            Effect.gen(function* () {
              const entry = charged(attempt, ending, price, yield* Clock.currentTimeMillis)
              const { free: _, ...charge } = entry
              const booked = Effect.catchAll(ledger.settle(charge, of), (error) =>
                Effect.as(unwritten(error), [] as ReadonlyArray<Alert>)
              )
              // Nothing waits for the disk where no budget does; what is sent next is booked after it all the same.
              if (of.limits.size === 0) {
                yield* Effect.forkIn(booked, scope)
                return settled(entry)
              }
              const alerts = yield* booked
              if (alerted !== undefined) yield* Effect.forkIn(Effect.forEach(alerts, alerted), scope)
              return settled(entry, alerts)
            })
        }))
      )
    const raise: Shape["raise"] = (payer, reached, ask) =>
      one.withPermits(1)(
        Effect.gen(function* () {
          const { scope } = reached
          const places = placesOf(payer, dayOf(yield* Clock.currentTimeMillis))
          const key = keyOf(scope, places[scope])
          // Somebody has been asked meanwhile.
          if ((granted.get(key) ?? 0) > reached.limit) return true
          const refused = JSON.stringify([key, places.task, reached.limit])
          if (denied.has(refused)) return false
          if (!(yield* ask)) {
            if (denied.size >= maxDenied) denied.clear()
            denied.add(refused)
            return false
          }
          granted.set(key, raised(reached))
          return true
        })
      )
    return { open, ...(initial.atLimit === "ask" ? { raise } : {}) }
  })
