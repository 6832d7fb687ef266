import { signal } from "@preact/signals"
import { oneLine, visibleLine } from "../../text/visible.ts"
import { logOut, me } from "../Login.ts"
import { route, to } from "../Route.ts"
import { queue } from "../approval/Queue.ts"
import { hits, hitsNote, search } from "../session/Hits.ts"
import { byProject, nameOf, running, sessions, sessionsProblem, titleOf } from "../session/Sessions.ts"
import { ago } from "./now.ts"
import { manage } from "./SessionDialog.tsx"
import { watching } from "./Watch.ts"

/** What the list is narrowed to. */
const filter = signal("")

/** The pages besides sessions. */
const pages = [
  ["tools", "Tools"],
  ["rules", "Rules"],
  ["audit", "Audit"],
  ["cost", "Cost"],
  ["replay", "Replay a file"]
] as const

/** Goes through the lines of the list by so many. */
const move = (from: HTMLElement, by: number): void => {
  const lines = [...document.querySelectorAll<HTMLElement>(".session-line")]
  lines[lines.indexOf(from) + by]?.focus()
}

const onKey = (event: KeyboardEvent, id: string, line: HTMLElement): void => {
  const acts: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(line, 1),
    ArrowUp: () => move(line, -1),
    F2: () => manage(id),
    ContextMenu: () => manage(id),
    Delete: () => manage(id, true)
  }
  const act = acts[event.key]
  if (act === undefined || event.ctrlKey || event.altKey || event.metaKey) return
  event.preventDefault()
  act()
}

const SessionLine = ({ id }: { readonly id: string }) => {
  const session = sessions.value.find((one) => one.id === id)
  if (session === undefined) return null
  const waits = queue.value.filter(({ request }) => request.sessionId === id).length
  const isHere = route.value.of === id
  return (
    <li class="session-item">
      <a
        class="session-line"
        href={to("session", id)}
        aria-current={isHere ? "page" : undefined}
        onKeyDown={(event) => onKey(event, id, event.currentTarget)}
      >
        <span class="session-title">{titleOf(id)}</span>
        {waits > 0 ? (
          <span class="badge" aria-label={`${waits} waiting`}>
            {waits}
          </span>
        ) : running.value.has(id) ? (
          <span class="pulse" aria-label="running" role="img" />
        ) : (
          <time class="quiet">{ago(session.updatedAt)}</time>
        )}
      </a>
      <button
        type="button"
        class="manage"
        tabIndex={-1}
        aria-label={`Manage ${titleOf(id)}`}
        title="Rename, fork, download, delete (F2)"
        onClick={() => manage(id)}
      >
        ⋯
      </button>
    </li>
  )
}

/** What the search has found in messages. */
const Found = () =>
  filter.value.trim() === "" || (hits.value.length === 0 && hitsNote.value === undefined) ? null : (
    <section aria-label="Found in messages">
      <h2>In messages</h2>
      <ul>
        {hits.value.map(({ seq, session, snippet, title }) => (
          <li key={`${session} ${seq}`}>
            <a class="session-line hit" href={to("session", session)}>
              <span class="session-title">{oneLine(title) || session}</span>
              <span class="snippet">
                {snippet.map(({ hit, text }) => (hit ? <mark>{visibleLine(text)}</mark> : visibleLine(text)))}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {hitsNote.value === undefined ? null : <p class="quiet">{hitsNote.value}</p>}
    </section>
  )

export const Brand = () => (
  <a class="brand" href="#/">
    <span class="gate" aria-hidden="true" />
    Tollgate
  </a>
)

/** The sessions by project, and the way to everything else. */
export const Sidebar = () => {
  const wanted = filter.value.toLowerCase()
  const found = byProject.value
    .map(
      ([project, all]) =>
        [project, all.filter(({ id, title }) => `${title} ${id} ${project}`.toLowerCase().includes(wanted))] as const
    )
    .filter(([, all]) => all.length > 0)
  return (
    <nav class="sidebar" aria-label="Sessions">
      <header>
        <Brand />
        <span class="grow" />
        <a class="button small" href="#/">
          New
        </a>
      </header>
      <a
        class={`approvals-link ${queue.value.length > 0 ? "waiting" : ""}`}
        href="#/approvals"
        aria-current={route.value.page === "approvals" ? "page" : undefined}
      >
        Approvals <span class="badge">{queue.value.length}</span>
      </a>
      <input
        type="search"
        placeholder="Search sessions"
        aria-label="Search sessions"
        value={filter.value}
        onInput={({ currentTarget }) => {
          filter.value = currentTarget.value
          search(currentTarget.value)
        }}
      />
      <div class="session-list" tabIndex={0} role="group" aria-label="Sessions by project">
        {found.map(([project, all]) => (
          <section key={project}>
            <h2 title={visibleLine(project)}>{nameOf(project)}</h2>
            <ul>
              {all.map(({ id }) => (
                <SessionLine key={id} id={id} />
              ))}
            </ul>
          </section>
        ))}
        <Found />
        {sessionsProblem.value === undefined ? null : <p class="warning">{sessionsProblem.value.message}</p>}
      </div>
      <footer>
        <div class="page-links">
          {pages.map(([page, words]) => (
            <a href={to(page)} aria-current={route.value.page === page ? "page" : undefined}>
              {words}
            </a>
          ))}
        </div>
        <button type="button" class="link" onClick={() => void logOut()}>
          Log out {me.value === undefined ? "" : `(${visibleLine(me.value.name)})`}
        </button>
        {watching.value === "lost" ? <p class="warning">No connection to the server.</p> : null}
      </footer>
    </nav>
  )
}
