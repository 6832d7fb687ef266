import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as crypto from "node:crypto"

/** Where ids come from; a test replaces it to get the same ones every time. */
export class Ids extends Context.Reference<Ids>()("tollgate/tool/Ids", {
  defaultValue: (): { readonly next: (prefix: string) => Effect.Effect<string> } => ({
    /** 122 random bits: the id of another approval cannot be guessed. */
    next: (prefix) => Effect.sync(() => `${prefix}_${crypto.randomUUID().replaceAll("-", "")}`)
  })
}) {
  /** `approval_1`, `approval_2`, … */
  static readonly layerSequential: Layer.Layer<Ids> = Layer.sync(Ids, () => {
    const counts = new Map<string, number>()
    return {
      next: (prefix) =>
        Effect.sync(() => {
          const count = (counts.get(prefix) ?? 0) + 1
          counts.set(prefix, count)
          return `${prefix}_${count}`
        })
    }
  })
}
