import { useState } from "preact/hooks"
import type { ManualTool } from "../../server/ManualTools.ts"
import { visibleLine } from "../../text/visible.ts"
import { Input } from "../approval/EditForm.tsx"
import { inputOf, parametersOf } from "./filledForm.ts"
import { ownValue } from "../../text/ownValue.ts"

/** The form of a tool, from the Schema of its parameters. */
export const ToolForm = ({
  busy,
  onRun,
  tool: { description, fields, name }
}: {
  readonly tool: ManualTool
  readonly busy: boolean
  readonly onRun: (parameters: object) => void
}) => {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({})
  const submit = (event: Event) => {
    event.preventDefault()
    if (busy) return
    const filled = parametersOf(fields, texts)
    setWrong(filled.ok ? {} : filled.wrong)
    if (filled.ok) onRun(filled.parameters)
  }
  return (
    <form class="edit" aria-label={`Run ${name}`} onSubmit={submit}>
      <p>{visibleLine(description)}</p>
      {fields.map((field, index) => {
        const id = `field-${index}`
        return (
          <div class="field">
            <label for={id}>
              {visibleLine(field.name)} <span class="quiet">{field.required ? "" : "may be left out"}</span>
            </label>
            <Input
              field={inputOf(field)}
              id={id}
              focus={false}
              text={ownValue(texts, field.name) ?? inputOf(field).text}
              onText={(text) => setTexts({ ...texts, [field.name]: text })}
            />
            {field.description === "" ? null : <p class="quiet">{visibleLine(field.description)}</p>}
            {ownValue(wrong, field.name) === undefined ? null : (
              <p class="warning" role="alert">
                {ownValue(wrong, field.name)}
              </p>
            )}
          </div>
        )
      })}
      <div class="actions">
        <button type="submit" aria-disabled={busy}>
          Run
        </button>
        <span class="quiet">It passes the same gate as a call of the model.</span>
      </div>
    </form>
  )
}
