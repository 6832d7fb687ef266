import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { lazy } from "../system/lazy.ts"
import { Open } from "./Projection.ts"

/** What a driver answers with; the compiler has not seen every driver, and a row of a table may hold anything. */
const schemas = lazy(() => ({
  lease: Schema.is(
    Schema.Struct({
      session: Schema.String,
      epoch: Schema.Number,
      head: Schema.Number,
      created: Schema.Boolean,
      project: Schema.String,
      profile: Schema.String
    })
  ),
  projection: Schema.is(
    Schema.Struct({
      summary: Schema.Struct({
        id: Schema.String,
        project: Schema.String,
        profile: Schema.String,
        title: Schema.String,
        createdAt: Schema.Number,
        updatedAt: Schema.Number,
        status: Schema.Literal("open", "ended"),
        head: Schema.Number
      }),
      open: Open
    })
  )
}))

/** Looked at without a schema: a session may have many of them. */
const isEnvelope = (given: unknown): boolean =>
  Predicate.hasProperty(given, "event") &&
  Predicate.hasProperty(given.event, "_tag") &&
  Predicate.hasProperty(given, "seq") &&
  Predicate.isNumber(given.seq)

/** Whether an answer is one by what is read of it, for each thing that a driver is asked for. */
export const isProper = {
  open: (given: unknown) => schemas().lease(given),
  select: (given: unknown) => Array.isArray(given) && given.every(isEnvelope),
  get: (given: unknown) => schemas().projection(given),
  list: (given: unknown) => Array.isArray(given) && given.every((one) => schemas().projection(one)),
  size: Predicate.isNumber
}
