import { useLayoutEffect, useRef, useState } from "preact/hooks"

/** Why a call is denied, and whether its task ends with it. */
export const ReasonForm = ({
  onDone,
  onCancel
}: {
  readonly onDone: (reason: string, stop: boolean) => void
  readonly onCancel: () => void
}) => {
  const place = useRef<HTMLTextAreaElement>(null)
  const [stop, setStop] = useState(false)
  // Before the next key can come, which is meant for it.
  useLayoutEffect(() => place.current?.focus(), [])
  const submit = (event: Event) => {
    event.preventDefault()
    onDone(place.current?.value.trim() ?? "", stop)
  }
  return (
    <form class="reason" onSubmit={submit}>
      <label for="reason">Why not? The model is told.</label>
      <textarea
        id="reason"
        ref={place}
        rows={2}
        maxLength={2000}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.stopPropagation()
            onCancel()
          } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event)
        }}
      />
      <div class="actions">
        <label class="check">
          <input type="checkbox" checked={stop} onChange={({ currentTarget }) => setStop(currentTarget.checked)} /> and
          end the task
        </label>
        <span class="grow" />
        <button type="button" onClick={onCancel}>
          Back <kbd>Esc</kbd>
        </button>
        <button type="submit" class="deny">
          Deny <kbd>⏎</kbd>
        </button>
      </div>
    </form>
  )
}
