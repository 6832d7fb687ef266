import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { Redactor } from "./Redactor.ts"

/** Logs why code of the user crashed, without the secrets in it: whoever reads the log may not know them. */
export const logCrash = (message: string, cause: Cause.Cause<unknown>, log = Effect.logError): Effect.Effect<void> =>
  Effect.flatMap(Redactor, (redactor) => {
    const text = Cause.pretty(cause, { renderErrorCause: true })
    const told = redactor.text(text)
    return log(message, told === text ? cause : told)
  })
