import * as Predicate from "effect/Predicate"
import { type Id, isId } from "../JsonRpc.ts"

/** The requests of a client that are not answered yet: a second one with the id of such a one would get its answer. */
export interface OpenIds {
  /** The first of these messages' ids that is open already; where none is, those of their requests are open from here on. */
  readonly twice: (messages: ReadonlyArray<unknown>) => Id | undefined
  /** These are answers, or requests that were refused. */
  readonly close: (messages: ReadonlyArray<unknown>) => void
}

const idsOf = (messages: ReadonlyArray<unknown>): ReadonlyArray<Id> =>
  messages.flatMap((one) => (Predicate.isReadonlyRecord(one) && isId(one["id"]) ? [one["id"]] : []))

const isRequest = (message: unknown): boolean => Predicate.isReadonlyRecord(message) && "method" in message

/** The requests that are taken back, which get no answer. */
const takenBack = (messages: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  messages.flatMap((one) =>
    Predicate.isReadonlyRecord(one) &&
    one["method"] === "notifications/cancelled" &&
    Predicate.isReadonlyRecord(one["params"])
      ? [one["params"]["requestId"]]
      : []
  )

export const make = (): OpenIds => {
  const open = new Set<unknown>()
  return {
    twice: (messages) => {
      const ids = idsOf(messages.filter(isRequest))
      const twice = ids.find((id, at) => open.has(id) || ids.indexOf(id) !== at)
      if (twice === undefined) {
        for (const id of ids) open.add(id)
        for (const id of takenBack(messages)) open.delete(id)
      }
      return twice
    },
    close: (messages) => {
      for (const id of idsOf(messages)) open.delete(id)
    }
  }
}
