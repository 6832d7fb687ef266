import * as Effect from "effect/Effect"
import * as Records from "../host/Stores.ts"
import { tools } from "../tools/Builtin.ts"
import type { AnyTool } from "../tool/ToolCall.ts"
import { toolShown } from "../tool/ToolShown.ts"
import { manual } from "./manualTools.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import { serverTools } from "./mcp/slots.ts"
import { Screen } from "./terminal/Screen.ts"
import { toolRows } from "./terminal/toolRows.ts"

/** Lists the tools by category: who may run each, and whether it asks. */
export const list = (options: { readonly manual: boolean; readonly json: boolean }) =>
  Effect.gen(function* () {
    const { answer, style, width } = yield* Screen
    const own: ReadonlyArray<AnyTool> = options.manual ? manual : tools
    const shown = [...own, ...(yield* serverTools)].map(toolShown)
    yield* answer(options.json ? `${JSON.stringify(shown, null, 2)}\n` : toolRows(shown, style, width()))
  }).pipe(
    Effect.scoped,
    Effect.provide(Records.decided),
    Effect.provide(Screen.layer({ split: false })),
    Effect.provide(ReadOnlyHome.reading)
  )
