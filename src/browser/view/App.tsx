import { useEffect, useState } from "preact/hooks"
import { many } from "../../ui/Words.ts"
import { login } from "../Api.ts"
import { loginProblem } from "../Login.ts"
import { route } from "../Route.ts"
import { missed, queue } from "../approval/Queue.ts"
import { QueuePanel } from "../approval/QueuePanel.tsx"
import { Feed } from "../session/Feed.ts"
import { titleOf } from "../session/Sessions.ts"
import { promptWanted } from "./Composer.tsx"
import { LazyPage } from "./LazyPage.tsx"
import { LoginPage } from "./LoginPage.tsx"
import { Project } from "./place.ts"
import { ReplayPage } from "./ReplayPage.tsx"
import { SessionPage, WorkersPanel } from "./SessionPage.tsx"
import { SessionDialog } from "./SessionDialog.tsx"
import { Brand, Sidebar } from "./Sidebar.tsx"
import { StartPage } from "./StartPage.tsx"
import { Timeline } from "./Timeline.tsx"

/** The session that a page is about, followed as long as it is shown. */
const useFeed = (session: string): Feed | undefined => {
  const [feed, setFeed] = useState<Feed | undefined>(undefined)
  useEffect(() => {
    if (session === "") return setFeed(undefined)
    const made = new Feed(session)
    setFeed(made)
    return () => made.close()
  }, [session])
  return feed?.session === session ? feed : undefined
}

const SessionTimeline = ({ feed }: { readonly feed: Feed }) => {
  const revision = feed.revision.value
  return (
    <Timeline
      title={titleOf(feed.session)}
      events={feed.events}
      revision={revision}
      onEarlier={feed.first.value > 1 ? () => void feed.all() : undefined}
    />
  )
}

const Page = ({ feed }: { readonly feed: Feed | undefined }) => {
  switch (route.value.page) {
    case "session":
      return feed === undefined ? null : <SessionPage feed={feed} workers />
    case "workers":
      return feed === undefined ? null : <WorkersPanel feed={feed} />
    case "timeline":
      return feed === undefined ? null : <SessionTimeline feed={feed} />
    case "rules":
    case "audit":
    case "cost":
    case "tools":
      return <LazyPage name={route.value.page} />
    case "replay":
      return <ReplayPage />
    default:
      return <StartPage />
  }
}

/** Everything: sessions on the left, the page in the middle, and beside it the queue, or the workers where nothing waits. */
export const App = () => {
  const { of, page } = route.value
  const isAbout = page === "session" || page === "workers" || page === "timeline"
  const feed = useFeed(isAbout && login.value === "in" ? of : "")
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== "F6") return
      event.preventDefault()
      const card = document.querySelector<HTMLElement>(".request")
      if (card !== null && !card.contains(document.activeElement)) card.focus()
      else promptWanted.value++
    }
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [])
  // As index.html has it, which is painted before anything runs.
  if (login.value === "unknown") {
    return (
      <div class="app">
        <nav class="sidebar" aria-label="Sessions">
          <header>
            <Brand />
          </header>
        </nav>
        <main class="main" aria-label="Page">
          {loginProblem.value === undefined ? null : <p class="warning">{loginProblem.value.message}</p>}
        </main>
      </div>
    )
  }
  if (login.value === "out") return <LoginPage />
  const waiting = queue.value.length
  return (
    <div class={`app page-${page}`}>
      <Sidebar />
      {page === "approvals" ? (
        <main class="beside" aria-label="Approval queue">
          <QueuePanel />
        </main>
      ) : (
        <main class="main" aria-label="Page">
          {waiting > 0 ? (
            <a class="banner" href="#/approvals">
              {many(waiting, "call")} {waiting === 1 ? "waits" : "wait"} for you
            </a>
          ) : null}
          <Project.Provider value={feed?.detail.value?.project ?? ""}>
            <Page feed={feed} />
          </Project.Provider>
        </main>
      )}
      {page === "approvals" ? null : waiting > 0 || missed.value !== undefined ? (
        <aside class="beside" aria-label="Approval queue">
          <QueuePanel />
        </aside>
      ) : feed !== undefined && page === "session" && feed.revision.value >= 0 && feed.fold.workers.all.length > 1 ? (
        <aside class="beside narrow" aria-label="Workers of the task">
          <WorkersPanel feed={feed} />
        </aside>
      ) : null}
      <SessionDialog />
      <p class="spoken" role="status" aria-live="polite">
        {waiting === 0 ? "" : `${many(waiting, "call")} waiting for an answer`}
      </p>
    </div>
  )
}
