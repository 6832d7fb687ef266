import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import type { RedactionStream, RedactorShape } from "./Redactor.ts"

/** What is shown where redaction crashed: nothing of the text. */
const hidden = "[hidden: the code that redacts crashed]"

/** The same redactor, where a crash of its code hides the whole text; the log says what it died of. */
export const contained = (redactor: RedactorShape): Effect.Effect<RedactorShape> =>
  Effect.map(Effect.runtime<never>(), (runtime) => {
    const crashed = (cause: unknown) => {
      Runtime.runFork(runtime)(Effect.logError("The code that redacts crashed", cause))
    }
    const guarded =
      <A, B>(ask: (given: A) => B, other: B) =>
      (given: A): B => {
        try {
          return ask(given)
        } catch (cause) {
          crashed(cause)
          return other
        }
      }
    const text = (ask: (given: string) => string) => guarded(ask, hidden)
    const stream = (ask: () => RedactionStream) => (): RedactionStream => {
      const one = guarded(ask, { push: () => hidden, flush: () => "" })(undefined)
      return { push: text((chunk) => one.push(chunk)), flush: text(() => one.flush()).bind(undefined, "") }
    }
    return {
      text: text((given) => redactor.text(given)),
      shown: guarded((given) => redactor.shown(given), { text: hidden, masked: 1 }),
      shownJson: guarded((given) => redactor.shownJson(given), { value: hidden, masked: 1, whole: false }),
      json: guarded((given) => redactor.json(given), hidden),
      jsonText: text((given) => redactor.jsonText(given)),
      jsonSliced: (given) =>
        Effect.catchAllDefect(
          Effect.suspend(() => redactor.jsonSliced(given)),
          (cause) =>
            Effect.as(
              Effect.sync(() => crashed(cause)),
              hidden
            )
        ),
      bytes: text((given) => redactor.bytes(given)),
      stream: stream(() => redactor.stream()),
      jsonStream: stream(() => redactor.jsonStream()),
      transform: (self) => Stream.suspend(() => redactor.transform(self)),
      deed: text((given) => redactor.deed(given)),
      deedJson: guarded((given) => redactor.deedJson(given), hidden)
    }
  })
