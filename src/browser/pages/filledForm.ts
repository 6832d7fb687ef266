import type { ManualTool } from "../../server/ManualTools.ts"
import { type Field, isRecord, parsedField } from "../approval/fields.ts"
import { ownValue } from "../../text/ownValue.ts"

export type ToolField = ManualTool["fields"][number]

type Json = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** A field as it is filled in; where nothing is needed, nothing can be chosen. */
export const inputOf = ({ fallback, name, options, required, type }: ToolField): Field => {
  const choices = options ?? (type === "boolean" ? ["true", "false"] : undefined)
  return {
    name,
    type: type === "select" ? "text" : type,
    ...(choices === undefined ? {} : { options: required ? choices : ["", ...choices] }),
    text: fallback === undefined ? (required ? String(choices?.[0] ?? "") : "") : textOf(fallback)
  }
}

/** The parameters with a value at a dotted name. */
const assigned = (parameters: Json, name: string, value: unknown): Json => {
  const [first = "", ...rest] = name.split(".")
  const inner = Object.hasOwn(parameters, first) ? parameters[first] : undefined
  const next = rest.length === 0 ? value : assigned(isRecord(inner) ? inner : {}, rest.join("."), value)
  return Object.fromEntries([...Object.entries(parameters), [first, next]])
}

const parsed = (field: ToolField, text: string) => {
  const chosen = field.options?.find((option) => String(option) === text)
  return chosen === undefined ? parsedField(inputOf(field), text) : ({ ok: true, value: chosen } as const)
}

export type Filled =
  | { readonly ok: true; readonly parameters: Json }
  | { readonly ok: false; readonly wrong: Readonly<Record<string, string>> }

/** The parameters that a form stands for, or what is wrong with which of its fields. */
export const parametersOf = (
  fields: ReadonlyArray<ToolField>,
  texts: Readonly<Record<string, string | undefined>>
): Filled => {
  const wrong: Record<string, string> = {}
  let parameters: Json = {}
  for (const field of fields) {
    const text = ownValue(texts, field.name) ?? inputOf(field).text
    if (text === "" && !field.required) continue
    const value = text === "" ? ({ ok: false, problem: `${field.name} is needed.` } as const) : parsed(field, text)
    if (value.ok) parameters = assigned(parameters, field.name, value.value)
    else wrong[field.name] = value.problem
  }
  return Object.keys(wrong).length === 0 ? { ok: true, parameters } : { ok: false, wrong }
}
