import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { exact } from "../../approval/rendering/Exact.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"
import { type Field, fieldsOf, jsonOf, parsedField } from "./fields.ts"
import { ownValue } from "../../text/ownValue.ts"

interface Props {
  readonly request: ApprovalRequest
  /** Why the server did not take the last ones. */
  readonly problem: string | undefined
  readonly onDone: (parameters: unknown) => void
  readonly onCancel: () => void
}

/** Where one parameter is filled in. */
export const Input = ({
  field,
  focus,
  id,
  onText,
  text
}: {
  readonly field: Field
  readonly id: string
  readonly text: string
  readonly focus: boolean
  readonly onText: (text: string) => void
}) => {
  const place = useRef<HTMLTextAreaElement & HTMLSelectElement & HTMLInputElement>(null)
  // Before the next key can come, which is meant for it.
  useLayoutEffect(() => {
    if (focus) place.current?.focus()
  }, [focus])
  if (field.type === "boolean" || field.options !== undefined) {
    const options = field.options ?? ["true", "false"]
    return (
      <select id={id} ref={place} value={text} onChange={({ currentTarget }) => onText(currentTarget.value)}>
        {options.map((option) => (
          <option value={String(option)}>{option === "" ? "unset" : String(option)}</option>
        ))}
      </select>
    )
  }
  if (field.type === "number") {
    return (
      <input
        id={id}
        ref={place}
        inputMode="decimal"
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    )
  }
  const rows = Math.min(18, Math.max(field.type === "json" ? 3 : 1, text.split("\n").length))
  return (
    <textarea
      id={id}
      ref={place}
      rows={rows}
      spellcheck={false}
      value={text}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
    />
  )
}

/** The parameters of a call as a form. What is not touched stays as it was to its last character. */
export const EditForm = ({ onCancel, onDone, problem, request }: Props) => {
  const [fields] = useState(() => fieldsOf(request.arguments))
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({})
  const submit = (event: Event) => {
    event.preventDefault()
    const found: Record<string, string> = {}
    const changes: Array<readonly [string, unknown]> = []
    for (const field of fields) {
      const text = ownValue(texts, field.name)
      if (text === undefined) continue
      const parsed = parsedField(field, text)
      if (parsed.ok) changes.push([field.name, parsed.value])
      else found[field.name] = parsed.problem
    }
    setWrong(found)
    if (Object.keys(found).length > 0) return
    onDone(jsonOf(request.arguments, changes))
  }
  return (
    <form
      class="edit"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation()
          onCancel()
        } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event)
      }}
      aria-label={`Edit the parameters of ${request.tool}`}
    >
      {fields.map((field, index) => {
        const id = `edit-${index}`
        return (
          <div class="field">
            <label for={id}>
              {exact(field.name)} <span class="quiet">{field.type}</span>
            </label>
            <Input
              field={field}
              id={id}
              focus={index === 0}
              text={ownValue(texts, field.name) ?? field.text}
              onText={(text) => setTexts({ ...texts, [field.name]: text })}
            />
            {ownValue(wrong, field.name) === undefined ? null : (
              <p class="warning" role="alert">
                {ownValue(wrong, field.name)}
              </p>
            )}
          </div>
        )
      })}
      {problem === undefined ? null : (
        <p class="warning" role="alert">
          {problem}
        </p>
      )}
      <p class="quiet">
        The call is checked and asked about anew with these, and the model is told that you changed it.
      </p>
      <div class="actions">
        <button type="button" onClick={onCancel}>
          Back <kbd>Esc</kbd>
        </button>
        <button type="submit" class="plain">
          Ask with these <kbd>Ctrl ⏎</kbd>
        </button>
      </div>
    </form>
  )
}
