import * as Effect from "effect/Effect"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { SessionSummary } from "./Projection.ts"
import type { SessionStore } from "./SessionStore.ts"

/** Whether a session was begun here, was imported from a file, or is a tool that a person ran, without any prompt. */
export type SessionKind = "conversation" | "imported" | "tool"

/** Events of a session of one tool; one with more is a conversation. */
const maxEvents = 100

/** What a session is, from its first events. */
export const sessionKind = (
  store: SessionStore["Type"],
  { head, id }: Pick<SessionSummary, "head" | "id">
): Effect.Effect<SessionKind, DatabaseError> =>
  Effect.gen(function* () {
    const [second] = yield* store.read(id, 2, 1)
    if (second?.event._tag === "SessionImported") return "imported"
    if (head > maxEvents) return "conversation"
    const tasks = (yield* store.tagged(id, ["TaskStarted"])).map(({ event }) => event)
    const isPrompted = tasks.some((event) => event._tag === "TaskStarted" && event.message !== undefined)
    return tasks.length === 0 || isPrompted ? "conversation" : "tool"
  })

/** The title of a session behind what it is, where that is no conversation of its own. */
export const kindedTitle = (kind: SessionKind, title: string): string =>
  kind === "conversation" ? title : `${kind} · ${title}`
