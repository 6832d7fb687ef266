import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { BackgroundCommand } from "../../process/BackgroundCommands.ts"
import { duration } from "../../text/duration.ts"

/** How a background command stands, in a line. */
export const stateOf = ({ end, id, startedAt }: BackgroundCommand): Effect.Effect<string> =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    end === undefined
      ? `${id} has been running for ${duration(Math.max(0, now - startedAt))}`
      : `${id} has ended: ${end.reason}`
  )
