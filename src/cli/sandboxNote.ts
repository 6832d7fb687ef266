import * as Effect from "effect/Effect"
import { Configuration } from "../config/Configuration.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { Ui } from "../ui/Ui.ts"
import { off, sandboxText } from "./sandboxText.ts"
import { sandbox } from "./Toolbox.ts"

/** Tries out what was detected: gives where commands run, and tells the person where that is not what was said. */
export const tried: Effect.Effect<string, never, Configuration | Ui> = Effect.gen(function* () {
  const ui = yield* Ui
  const { settings } = yield* Configuration
  const { target = "detect" } = settings.sandbox ?? {}
  const said = sandboxText(settings.sandbox)
  if (target !== "detect" || said === off) return said
  const { detail, isolated } = yield* Effect.map(Sandbox, ({ describe }) => describe).pipe(
    Effect.provide(sandbox(settings, process.cwd())),
    Effect.catchAll(({ message }) => Effect.succeed({ isolated: false, detail: message }))
  )
  if (isolated) return said
  yield* ui.display({ _tag: "Note", level: "warning", text: `${off}: ${detail}` })
  return off
})
