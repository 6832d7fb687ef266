import { signal } from "@preact/signals"
import { useEffect, useRef, useState } from "preact/hooks"
import { newId } from "../Api.ts"
import { drafts, draftsChanged } from "../session/Drafts.ts"

interface Props {
  readonly placeholder: string
  /** What is typed stays with this name when another is shown. */
  readonly draft: string
  readonly busy: boolean
  /** Sends; why it came to nothing, if it did. */
  readonly onSubmit: (text: string, task: string) => Promise<string | undefined>
}

/** Grows when the prompt is to have the focus. */
export const promptWanted = signal(0)

/** Where a prompt is typed: Enter sends, Shift-Enter begins a line. What was not sent stays. */
export const Composer = ({ busy, draft, onSubmit, placeholder }: Props) => {
  const place = useRef<HTMLTextAreaElement>(null)
  /** What was not taken yet: the same words are the same task, so that it is not begun twice. */
  const open = useRef({ text: "", task: "" })
  const shown = useRef(draft)
  shown.current = draft
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const [sending, setSending] = useState(false)
  const fit = () => {
    const { current } = place
    if (current === null) return
    current.style.height = "auto"
    current.style.height = `${Math.min(current.scrollHeight + 2, 280)}px`
  }
  const changed = draftsChanged.value
  useEffect(() => {
    const { current } = place
    if (current === null) return
    current.value = drafts.get(draft) ?? ""
    fit()
  }, [draft, changed])
  const wanted = promptWanted.value
  useEffect(() => {
    if (wanted > 0) place.current?.focus()
  }, [wanted])
  const submit = async () => {
    const { current } = place
    const text = current?.value.trim() ?? ""
    if (current === null || text === "" || sending) return
    const show = (value: string) => {
      drafts.set(draft, value)
      if (shown.current !== draft) return
      current.value = value
      fit()
    }
    if (open.current.text !== text) open.current = { text, task: newId("task") }
    setSending(true)
    // What is typed from here on is another prompt.
    show("")
    const refused = await onSubmit(text, open.current.task)
    setSending(false)
    setProblem(refused)
    if (refused === undefined) open.current = { text: "", task: "" }
    else show([text, drafts.get(draft) ?? ""].filter((part) => part !== "").join("\n"))
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {problem === undefined ? null : (
        <p class="warning" role="alert">
          {problem}
        </p>
      )}
      <div class="composer-box">
        <textarea
          ref={place}
          rows={1}
          aria-label="Prompt"
          placeholder={placeholder}
          onInput={({ currentTarget }) => {
            drafts.set(draft, currentTarget.value)
            fit()
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
            event.preventDefault()
            void submit()
          }}
        />
        <button type="submit" class="send" aria-disabled={sending}>
          {busy ? "Queue" : "Send"}
        </button>
      </div>
    </form>
  )
}
