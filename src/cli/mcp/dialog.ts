import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Configuration } from "../../config/Configuration.ts"
import * as redaction from "../../host/redaction.ts"
import * as Records from "../../host/Stores.ts"
import { makeVisible } from "../../text/visible.ts"
import { Ui } from "../../ui/Ui.ts"
import * as Frontend from "../Frontend.ts"
import { NobodyToAsk } from "../Outcome.ts"
import { wrap } from "../terminal/Layout.ts"
import { Screen } from "../terminal/Screen.ts"
import { isYes } from "../../ui/isYes.ts"

export const say = (line: string) =>
  Effect.flatMap(Screen, ({ answer, width }) => answer(`${wrap(makeVisible(line), width()).join("\n")}\n`))

export const services = (keys: boolean) =>
  Layer.mergeAll(Records.decided, Records.audit, redaction.layerHere).pipe(
    Layer.provideMerge(Frontend.layer({ split: false, keys })),
    Layer.provideMerge(Configuration.layer())
  )

/** Asks once; without a terminal only `--yes` is a yes. */
export const confirmed = (question: string, yes: boolean) =>
  Effect.gen(function* () {
    if (yes) return true
    const { interactive } = yield* Screen
    if (!interactive) {
      return yield* new NobodyToAsk({
        reason: "No terminal to confirm in. Read the above, then run the command again with --yes."
      })
    }
    const line = yield* (yield* Ui).question(`${question} y/N`)
    return Option.exists(line, isYes)
  })
