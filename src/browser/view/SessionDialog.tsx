import { signal } from "@preact/signals"
import { useState } from "preact/hooks"
import { visibleLine } from "../../text/visible.ts"
import { type Problem, sessionPath } from "../Api.ts"
import { may } from "../Login.ts"
import { go, route, to } from "../Route.ts"
import { fork, listedTitle, remove, rename, titleOf } from "../session/Sessions.ts"
import { Dialog } from "./Dialog.tsx"

interface Managed {
  readonly session: string
  /** Whether it is asked at once if the session is to go. */
  readonly deleting: boolean
}

/** The session that is managed. */
const managed = signal<Managed | undefined>(undefined)

/** Opens the dialog of a session. */
export const manage = (session: string, deleting = false): void => {
  managed.value = { session, deleting: deleting && may("operate") }
}

const formats = [
  ["html", "Page"],
  ["markdown", "Markdown"],
  ["json", "JSON"]
] as const

const close = (): void => {
  managed.value = undefined
}

const focusOn = (element: HTMLElement | null): void => element?.focus()

/** What can be done with a session as a whole. */
const Managing = ({ deleting: asked, session }: Managed) => {
  const [deleting, setDeleting] = useState(asked)
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const known = listedTitle(session)
  const [title, setTitle] = useState(known)
  const [busy, setBusy] = useState(false)
  /** Does one thing at a time, and closes where it was done. */
  const act = async (what: () => Promise<Problem | undefined>) => {
    if (busy) return
    setBusy(true)
    const refused = await what()
    setBusy(false)
    setProblem(refused)
    if (refused === undefined) close()
  }
  const copy = async () => {
    const made = await fork(session)
    if (typeof made !== "string") return made
    go(to("session", made))
    return undefined
  }
  const drop = async () => {
    const refused = await remove(session)
    if (refused === undefined && route.value.of === session) go(to(""))
    return refused
  }
  const warning =
    problem === undefined ? null : (
      <p class="warning" role="alert">
        {problem.message}
      </p>
    )
  if (deleting) {
    return (
      <>
        <h1>Delete this session?</h1>
        <p>
          <b>{titleOf(session)}</b>: its messages, events and copies of files are removed for good. What it has cost and
          its entries in the audit stay.
        </p>
        {warning}
        <div class="actions">
          {/* The answer that changes nothing has the focus. */}
          <button type="button" autofocus ref={focusOn} onClick={close}>
            Keep it
          </button>
          <span class="grow" />
          <button type="button" class="deny" aria-disabled={busy} onClick={() => void act(drop)}>
            Delete
          </button>
        </div>
      </>
    )
  }
  return (
    <>
      <h1>{titleOf(session)}</h1>
      {may("operate") ? (
        <form
          class="rename"
          onSubmit={(event) => {
            event.preventDefault()
            void act(() => rename(session, title))
          }}
        >
          <label for="session-title">Title</label>
          <div class="actions">
            <input
              id="session-title"
              class="grow"
              autofocus
              maxLength={200}
              value={title}
              onFocus={({ currentTarget }) => currentTarget.select()}
              onInput={({ currentTarget }) => setTitle(currentTarget.value)}
            />
            <button type="submit" aria-disabled={busy}>
              Rename
            </button>
          </div>
        </form>
      ) : null}
      <div class="actions" role="group" aria-label="Download">
        <span class="quiet">Download</span>
        {formats.map(([format, words]) => (
          <a class="button" href={sessionPath(session, `/export?format=${format}`)} download>
            {words}
          </a>
        ))}
      </div>
      {warning}
      <p class="quiet id">{visibleLine(session)}</p>
      <div class="actions">
        {may("operate") ? (
          <>
            <button type="button" aria-disabled={busy} onClick={() => void act(copy)}>
              Fork
            </button>
            <button type="button" onClick={() => setDeleting(true)}>
              Delete…
            </button>
          </>
        ) : null}
        <span class="grow" />
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </>
  )
}

/** The dialog of the session that is managed, if one is. */
export const SessionDialog = () => {
  const { value } = managed
  return value === undefined ? null : (
    <Dialog key={value.session} label="Session" onClose={close}>
      <Managing {...value} />
    </Dialog>
  )
}
