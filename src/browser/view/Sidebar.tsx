import { signal } from "@preact/signals"
import { visibleLine } from "../../text/visible.ts"
import { logOut, me } from "../Login.ts"
import { route, to } from "../Route.ts"
import { queue } from "../approval/Queue.ts"
import { byProject, nameOf, running, sessions, sessionsProblem } from "../session/Sessions.ts"
import { ago } from "./now.ts"
import { watching } from "./Watch.ts"

/** What the list is narrowed to. */
const filter = signal("")

/** The pages besides sessions. */
const pages = [["replay", "Replay a file"]] as const

const SessionLine = ({ id }: { readonly id: string }) => {
  const session = sessions.value.find((one) => one.id === id)
  if (session === undefined) return null
  const waits = queue.value.filter(({ request }) => request.sessionId === id).length
  const isHere = route.value.of === id
  return (
    <li>
      <a class="session-line" href={to("session", id)} aria-current={isHere ? "page" : undefined}>
        <span class="session-title">{visibleLine(session.title) || id}</span>
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
    </li>
  )
}

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
        <a class="brand" href="#/">
          <span class="gate" aria-hidden="true" />
          Tollgate
        </a>
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
        placeholder="Filter sessions"
        aria-label="Filter sessions"
        value={filter.value}
        onInput={({ currentTarget }) => {
          filter.value = currentTarget.value
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
        {sessionsProblem.value === undefined ? null : <p class="warning">{sessionsProblem.value.message}</p>}
      </div>
      <footer>
        {pages.map(([page, words]) => (
          <a href={to(page)} aria-current={route.value.page === page ? "page" : undefined}>
            {words}
          </a>
        ))}
        <button type="button" class="link" onClick={() => void logOut()}>
          Log out {me.value === undefined ? "" : `(${visibleLine(me.value.name)})`}
        </button>
        {watching.value === "lost" ? <p class="warning">No connection to the server.</p> : null}
      </footer>
    </nav>
  )
}
