import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * The hash of a file as a preview gives it, `null` for one that is not there. Where nobody knows, which is the default,
 * the tool's own preview is made again instead.
 */
export class TargetHash extends Context.Reference<TargetHash>()("tollgate/approval/TargetHash", {
  defaultValue: (): { readonly hash: (path: string) => Effect.Effect<string | null | undefined> } => ({
    hash: () => Effect.succeed(undefined)
  })
}) {}
