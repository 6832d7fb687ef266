import { signal } from "@preact/signals"
import { useEffect, useRef, useState } from "preact/hooks"
import { newId } from "../Api.ts"
import { drafts, draftsChanged, giveBack, type Outgoing, outgoing } from "../session/Drafts.ts"

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
    if (current === null || text === "") return
    // What is typed from here on is another prompt.
    drafts.set(draft, "")
    current.value = ""
    fit()
    const before = outgoing.get(draft)
    if (before !== undefined) return void before.behind.push(text)
    const behind = [text]
    const under: Outgoing = { sent: Promise.resolve(), behind }
    outgoing.set(draft, under)
    setSending(true)
    let refused: string | undefined
    for (let next = behind.shift(); next !== undefined; next = behind.shift()) {
      if (open.current.text !== next) open.current = { text: next, task: newId("task") }
      const sent = onSubmit(next, open.current.task)
      under.sent = sent
      refused = await sent
      if (refused !== undefined) {
        giveBack(draft, [next, ...behind])
        break
      }
      open.current = { text: "", task: "" }
    }
    outgoing.delete(draft)
    setSending(false)
    setProblem(refused)
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
