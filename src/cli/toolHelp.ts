import { table, type Row } from "./Help.ts"
import type { Style } from "./terminal/Style.ts"
import { manual } from "./ToolCommand.ts"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What a tool that a person may run does and takes, below the help of its command; nothing for any other name. */
export const toolHelp = (name: string, style: Style): string => {
  const tool = manual.find((one) => one.name === name)
  if (tool === undefined) return ""
  const { properties, required } = tool.codec.jsonSchema()
  const needed: ReadonlyArray<unknown> = Array.isArray(required) ? required : []
  const rows = Object.entries(isRecord(properties) ? properties : {}).map(([key, property]): Row => {
    const about = isRecord(property) && typeof property["description"] === "string" ? property["description"] : ""
    return [`--param ${key}=…`, [needed.includes(key) ? "required" : "optional", about].filter(Boolean).join(". ")]
  })
  return ["", `${style.bold(name)}  ${tool.description}`, ...table("Parameters", rows, style), ""].join("\n")
}
