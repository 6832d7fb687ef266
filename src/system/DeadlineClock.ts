import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as os from "node:os"
import { monotonicMillis } from "./monotonic.ts"

/** Milliseconds that the machine has slept since it was first asked; the monotonic clock may stand still meanwhile. */
export class Slept extends Context.Reference<Slept>()("tollgate/system/Slept", {
  defaultValue: (): { readonly millis: Effect.Effect<number> } => ({ millis: Effect.sync(measured()) })
}) {}

/** Makes the clock of deadlines: time asleep counts on it, and setting the wall clock changes nothing. */
export const make: Effect.Effect<Effect.Effect<number>> = Effect.map(Slept, ({ millis }) =>
  Effect.zipWith(monotonicMillis, millis, (awake, slept) => Math.round(awake + slept))
)

/** Milliseconds between two looks at the machine, and below which a difference is the coarseness of its clocks. */
const lookEvery = 250
const coarse = 1500

const measured = (): (() => number) => {
  const awake = () => Number(process.hrtime.bigint() / 1_000_000n)
  const behind = (): number => {
    try {
      return os.uptime() * 1000 - awake()
    } catch {
      return 0
    }
  }
  const first = behind()
  let lookedAt = awake()
  let slept = 0
  return () => {
    const now = awake()
    if (now - lookedAt >= lookEvery) {
      lookedAt = now
      const more = behind() - first
      if (more > Math.max(coarse, slept)) slept = more
    }
    return slept
  }
}
