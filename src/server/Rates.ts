import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Those whose requests are counted; the one that has asked for nothing for longest gives way. */
const maxKeys = 4096

interface Bucket {
  left: number
  /** Milliseconds. */
  at: number
}

/** How often somebody may do something. */
export interface Rate {
  readonly perSecond: number
  /** At once. */
  readonly burst: number
}

/** Counts what callers do, in buckets that fill again with the time. */
export class Rates extends Context.Tag("tollgate/server/Rates")<
  Rates,
  {
    /** Takes one, if there is still room. */
    readonly take: (key: string, rate: Rate) => Effect.Effect<boolean>
  }
>() {
  static readonly layer: Layer.Layer<Rates> = Layer.sync(Rates, () => {
    const buckets = new Map<string, Bucket>()
    return {
      take: (key, { burst, perSecond }) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const known = buckets.get(key)
          const bucket = known ?? { left: burst, at: now }
          const refilled = bucket.left + (Math.max(0, now - bucket.at) / 1000) * perSecond
          bucket.left = Math.min(burst, refilled)
          bucket.at = now
          buckets.delete(key)
          const [oldest] = buckets.keys()
          if (buckets.size >= maxKeys && oldest !== undefined) buckets.delete(oldest)
          buckets.set(key, bucket)
          if (bucket.left < 1) return false
          bucket.left -= 1
          return true
        })
    }
  })
}
