import * as Effect from "effect/Effect"
import { Configuration } from "../config/Configuration.ts"
import type { Project } from "../host/Project.ts"
import { heldText } from "../host/Situation.ts"
import { Ui } from "../ui/Ui.ts"
import { off, sandboxText } from "./terminal/sandboxText.ts"

/** Tries out what was detected: gives where commands run, and tells the person where that is not what was said. */
export const tried = ({ heldRoots, sandbox }: Project): Effect.Effect<string, never, Configuration | Ui> =>
  Effect.gen(function* () {
    const ui = yield* Ui
    const { settings } = yield* Configuration
    const { target = "detect" } = settings.sandbox ?? {}
    const said = sandboxText(settings.sandbox)
    if (said.startsWith(off)) return said
    for (const root of yield* heldRoots)
      yield* ui.display({ _tag: "Note", level: "warning", text: `${heldText(root)} Make it a directory.` })
    if (target !== "detect") return said
    const { detail, isolated } = yield* Effect.match(sandbox, {
      onFailure: ({ message }) => ({ isolated: false, detail: message }),
      onSuccess: ({ describe }) => describe
    })
    if (isolated) return said
    yield* ui.display({ _tag: "Note", level: "warning", text: `${off}: ${detail}` })
    return off
  })
