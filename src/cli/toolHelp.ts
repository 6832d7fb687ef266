import { table, type Row } from "./Help.ts"
import type { Style } from "./terminal/Style.ts"
import { fieldsOf } from "../tool/ToolField.ts"
import { manual } from "./manualTools.ts"

/** What a tool that a person may run does and takes, below the help of its command; nothing for any other name. */
export const toolHelp = (name: string, style: Style): string => {
  const tool = manual.find((one) => one.name === name)
  if (tool === undefined) return ""
  const rows = fieldsOf(tool).map(({ description, fallback, name: field, options, required, type }): Row => {
    const what = options === undefined ? type : options.join(" | ")
    const need = fallback !== undefined ? `default ${JSON.stringify(fallback)}` : required ? "required" : "optional"
    return [`--${field}=…`, [`${need}, ${what}`, description].filter(Boolean).join(". ")]
  })
  return ["", `${style.bold(name)}  ${tool.description}`, ...table("Parameters", rows, style), ""].join("\n")
}
