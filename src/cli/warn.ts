import * as Effect from "effect/Effect"
import { makeVisible } from "../text/visible.ts"
import { styleFor } from "./terminal/Style.ts"

/** Says on standard error, in one line, what a person must know of although the command goes on. */
export const warn = (message: string): Effect.Effect<void> =>
  Effect.flatMap(styleFor(process.stderr.isTTY), ({ bold, yellow }) =>
    Effect.sync(() => void process.stderr.write(`${bold(yellow("tollgate:"))} ${makeVisible(message)}\n`))
  )
