import * as Effect from "effect/Effect"
import { tools } from "../tools/Builtin.ts"
import { toolShown } from "../tool/ToolShown.ts"
import { manual } from "./manualTools.ts"
import { Screen } from "./terminal/Screen.ts"
import { toolRows } from "./terminal/toolRows.ts"

/** Lists the tools by category: who may run each, and whether it asks. */
export const list = (options: { readonly manual: boolean; readonly json: boolean }) =>
  Effect.gen(function* () {
    const { answer, style, width } = yield* Screen
    const shown = (options.manual ? manual : tools).map(toolShown)
    yield* answer(options.json ? `${JSON.stringify(shown, null, 2)}\n` : toolRows(shown, style, width()))
  }).pipe(Effect.provide(Screen.layer({ split: false })))
