import * as Effect from "effect/Effect"
import { alertsOf, exceeded, type Places, type Standing, toldBy, untouched } from "./Budget.ts"
import { Scope } from "./Budgets.ts"
import type { Charge } from "./Charge.ts"
import type { Book, ChargeFilter, Dimension, Reservation } from "./Book.ts"
import { grouped, shares, sumOf } from "./totals.ts"

const keysOf = ({ day, model, payer, profile }: Charge): Readonly<Record<Exclude<Dimension, "tool">, string>> => ({
  day,
  model,
  profile,
  session: payer.session,
  project: payer.project,
  task: payer.task,
  worker: payer.worker.join("/")
})

const isMeant =
  ({ project, session, since = -Infinity, until = Infinity }: ChargeFilter) =>
  ({ payer, time }: Charge): boolean =>
    (session === undefined || payer.session === session) &&
    (project === undefined || payer.project === project) &&
    time >= since &&
    time < until

/** Charges of this process alone. */
export const make: Effect.Effect<Book> = Effect.sync(() => {
  const charges: Array<Charge> = []
  const standings = new Map<string, Standing>()
  const reservations = new Map<string, Reservation>()
  const key = (scope: Scope, places: Places) => JSON.stringify([scope, places[scope]])
  const standing = (places: Places) => (scope: Scope) => standings.get(key(scope, places)) ?? untouched
  const change = (places: Places, spent: number, reserved: number) => {
    for (const scope of Scope.literals) {
      const before = standing(places)(scope)
      const after = { ...before, spent: before.spent + spent, reserved: before.reserved + reserved }
      standings.set(key(scope, places), after)
    }
  }
  return {
    reserve: (reservation, limits) =>
      Effect.suspend(() => {
        const { amount, places } = reservation
        const reached = exceeded(limits, standing(places), amount)
        if (reached !== undefined) return Effect.fail(reached)
        change(places, 0, amount)
        reservations.set(reservation.id, reservation)
        return Effect.void
      }),
    settle: (charge, { limits, places, reservation = "" }) =>
      Effect.sync(() => {
        const held = reservations.get(reservation)?.amount ?? 0
        reservations.delete(reservation)
        charges.push(charge)
        change(places, charge.amount ?? 0, -held)
        const due = alertsOf(limits, places, standing(places))
        for (const { limit, percent, scope } of toldBy(due)) {
          standings.set(key(scope, places), { ...standing(places)(scope), alerted: percent, alertedOf: limit })
        }
        return due
      }),
    totals: (by, filter) =>
      Effect.sync(() => {
        const meant = charges.filter(isMeant(filter))
        if (by !== "tool") {
          return grouped(
            meant.map((charge) => [keysOf(charge)[by], sumOf(charge)] as const),
            by === "day"
          )
        }
        const sets = new Map(meant.map(({ tools }) => [JSON.stringify(tools), tools]))
        const bySet = grouped(
          meant.map((charge) => [JSON.stringify(charge.tools), sumOf(charge)] as const),
          false
        )
        return grouped(
          bySet.flatMap(({ key, ...sum }) => shares(sets.get(key) ?? [], sum)),
          false
        )
      }),
    charges: ({ limit, ...filter }) => Effect.sync(() => charges.filter(isMeant(filter)).slice(-limit))
  }
})
