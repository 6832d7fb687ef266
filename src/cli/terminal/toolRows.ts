import { visibleLine } from "../../text/visible.ts"
import { byCategory, type ToolShown } from "../../tool/ToolShown.ts"
import { hanging } from "./Layout.ts"
import type { Style } from "./Style.ts"

const callers = { llm: "model", manual: "you", both: "model and you" } as const
const asks = { never: "runs unasked", some: "asks for some calls", always: "asks" } as const

/** Tools by category, with who may run them and whether they ask. */
export const toolRows = (tools: ReadonlyArray<ToolShown>, style: Style, width: number): string =>
  byCategory(tools)
    .map(([category, some]) => {
      const rows = some.map(({ approval, description, mode, name }) => {
        const head = `  ${style.cyan(visibleLine(name))}  ${style.dim(`${callers[mode]} · ${asks[approval]}`)}\n`
        return head + hanging("    ", visibleLine(description), width - 1)
      })
      return `${style.bold(visibleLine(category))}\n${rows.join("")}`
    })
    .join("")
