import { computed, signal } from "@preact/signals"
import type { Envelope } from "../../runtime/Envelope.ts"
import type { PostedCommand } from "../../server/PostedCommand.ts"
import type { SessionDetail, SessionInfo } from "../../server/SessionInfo.ts"
import { makeVisible, oneLine } from "../../text/visible.ts"
import { type Answer, ask, get, newId, post, type Problem, sessionPath } from "../Api.ts"

/** Sessions that are listed. */
const most = 300

export const sessions = signal<ReadonlyArray<SessionInfo>>([])
export const sessionsProblem = signal<Problem | undefined>(undefined)

/** Sessions in which a task runs, as far as this page has heard. */
export const running = signal<ReadonlySet<string>>(new Set())

export const loadSessions = async (): Promise<void> => {
  const found = await get<{ readonly sessions: ReadonlyArray<SessionInfo> }>(`/v1/sessions?limit=${most}`)
  if (found.ok) sessions.value = found.value.sessions
  sessionsProblem.value = found.ok ? undefined : found.problem
}

/** The title of a session as it is listed; empty where it has none. */
export const listedTitle = (id: string): string => sessions.value.find((one) => one.id === id)?.title ?? ""

/** What a session is called. */
export const titleOf = (id: string): string => {
  const title = listedTitle(id)
  return title === "" ? id : oneLine(title)
}

/** The sessions of each project, the one that was used last first. */
export const byProject = computed((): ReadonlyArray<readonly [project: string, ReadonlyArray<SessionInfo>]> => {
  const found = new Map<string, Array<SessionInfo>>()
  for (const session of sessions.value.toSorted((a, b) => b.updatedAt - a.updatedAt)) {
    found.set(session.project, [...(found.get(session.project) ?? []), session])
  }
  return [...found]
})

/** Takes a session out of the list. */
const leave = (session: string): void => {
  if (sessions.value.some(({ id }) => id === session))
    sessions.value = sessions.value.filter(({ id }) => id !== session)
}

/** What changes how a session is listed. */
const telling: ReadonlySet<string> = new Set(["TaskQueued", "SessionRenamed", "SessionForked"])

let reload = 0

/** What an event changes of the list. */
export const happened = ({ event, session, time }: Envelope): void => {
  const set = (isRunning: boolean) => {
    if (running.value.has(session) === isRunning) return
    const next = new Set(running.value)
    if (isRunning) next.add(session)
    else next.delete(session)
    running.value = next
  }
  switch (event._tag) {
    case "TaskStarted":
      set(true)
      break
    case "TaskCompleted":
    case "TaskFailed":
    case "TaskInterrupted":
    case "SessionSuspended":
      set(false)
      break
    case "SessionDeleted":
      return leave(event.deleted)
    default:
  }
  const known = sessions.value.find(({ id }) => id === session)
  const isTelling = known === undefined || known.title === "" || telling.has(event._tag)
  if (known !== undefined && time > known.updatedAt + 1000) {
    sessions.value = sessions.value.map((one) => (one === known ? { ...one, updatedAt: time } : one))
  }
  if (!isTelling || session === "runtime") return
  clearTimeout(reload)
  reload = window.setTimeout(() => void loadSessions(), 150)
}

/** Makes a session in a project; in the directory of the server if none is named. */
export const create = async (project: string | undefined): Promise<string | Problem> => {
  const made = await post<SessionDetail>("/v1/sessions", project === undefined ? {} : { project })
  if (!made.ok) return made.problem
  void loadSessions()
  return made.value.id
}

const send = <A>(session: string, body: PostedCommand): Promise<Answer<A>> =>
  post<A>(sessionPath(session, "/commands"), body)

const problemOf = (answer: Answer<unknown>): Problem | undefined => (answer.ok ? undefined : answer.problem)

/** Sends a command to a session; why it came to nothing, if it did. */
export const command = (session: string, body: PostedCommand): Promise<Problem | undefined> =>
  send(session, body).then(problemOf)

/** A prompt of this page that has been sent off, and the number of the event that tells of it. */
export interface Sent {
  readonly text: string
  readonly task: string
  readonly told: Promise<Answer<{ readonly seq: number }>>
}

/** The last one of each session. */
export const lastSent = new Map<string, Sent>()

/** Prompts a session; the same task sent again is the same task. */
export const submit = (session: string, prompt: string, task = newId("task")): Promise<Problem | undefined> => {
  const told = send<{ readonly seq: number }>(session, { _tag: "SubmitPrompt", task, prompt, typed: prompt })
  lastSent.set(session, { text: prompt, task, told })
  return told.then(problemOf)
}

export const rename = async (session: string, title: string): Promise<Problem | undefined> => {
  const refused = await command(session, { _tag: "RenameSession", title })
  if (refused === undefined) await loadSessions()
  return refused
}

/** Copies a session; the id of the copy, or why there is none. */
export const fork = async (session: string): Promise<string | Problem> => {
  const copy = newId("session")
  const refused = await command(session, { _tag: "ForkSession", fork: copy })
  if (refused !== undefined) return refused
  await loadSessions()
  return copy
}

/** Deletes a session with all that belongs to it. */
export const remove = async (session: string): Promise<Problem | undefined> => {
  const done = await ask("DELETE", sessionPath(session))
  if (!done.ok && done.problem.status !== 404) return done.problem
  leave(session)
  return undefined
}

/** The last part of a path, by which people know a project. */
export const nameOf = (project: string): string => makeVisible(project.split("/").at(-1) || project)
