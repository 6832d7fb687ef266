import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type { Wanted } from "../approval/Decision.ts"
import type * as Tool from "../tool/Tool.ts"
import type { ToolServices } from "./ToolServices.ts"

/** What a tool itself says, or why it refuses. */
export type Own<A> = Effect.Effect<Either.Either<A, string>, never, ToolServices>

/** What the tool itself says of a call, or why it refuses it. */
export const own = <A>(say: () => Effect.Effect<A, Error, ToolServices>): Own<A> =>
  Effect.suspend(say).pipe(
    Effect.mapError(({ message }) => message),
    Effect.either
  )

/** Whether the tool wants a decision on the call, or why it refuses it. */
export const asked = ({ approval }: Tool.Any, params: unknown): Own<Wanted> =>
  own(() => {
    if (typeof approval !== "function") return Effect.succeed(approval === "always" && approval)
    const wanted = approval(params as never) as Wanted | Effect.Effect<Wanted, Error, ToolServices>
    return Effect.isEffect(wanted) ? wanted : Effect.succeed(wanted)
  })
