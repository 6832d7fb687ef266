import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { go } from "fuzzysort"
import * as Records from "../../host/Stores.ts"
import type { SessionSummary } from "../../runtime/Projection.ts"
import { SessionStore } from "../../runtime/SessionStore.ts"
import { makeVisible } from "../../text/visible.ts"
import { Ui } from "../../ui/Ui.ts"
import { project } from "../here.ts"
import { UsageError } from "../Outcome.ts"
import { ago } from "../Sessions.ts"
import { fit } from "../terminal/Layout.ts"
import { Screen } from "../terminal/Screen.ts"

/** Sessions that are looked through, rows that are shown, and waiting requests that are known. */
const limits = { sessions: 500, rows: 15, waiting: 100 }

const titleOf = ({ title }: SessionSummary): string => makeVisible(title.replaceAll(/\s+/gu, " ")) || "(no prompt yet)"

/** Lets the person pick an earlier session of the project by its number, or filter by words first; none if they leave. */
export const pickSession = Effect.gen(function* () {
  const ui = yield* Ui
  const { progress, style, width } = yield* Screen
  const here = yield* project
  const { sessions, waiting } = yield* Effect.gen(function* () {
    const store = yield* SessionStore
    const sessions = yield* store.list({ project: here, limit: limits.sessions })
    const waiting = yield* store.waiting(limits.waiting)
    return { sessions, waiting: new Set(waiting.map(({ request }) => request.sessionId)) }
  }).pipe(Effect.provide(Records.sessions))
  if (sessions.length === 0) return yield* new UsageError({ reason: `No sessions in ${here} yet.` })

  const titled = sessions.map((session) => ({ session, title: titleOf(session) }))
  let found = titled
  for (;;) {
    const now = yield* Clock.currentTimeMillis
    const rows = found.slice(0, limits.rows).map(({ session, title }, index) => {
      const mark = waiting.has(session.id) ? style.yellow("⏸") : " "
      return fit(
        `${String(index + 1).padStart(3)} ${mark} ${ago(now - session.updatedAt).padEnd(11)} ${title}`,
        width() - 1
      )
    })
    const more = found.length > rows.length ? [style.dim(`    … ${found.length - rows.length} more`)] : []
    yield* progress(`${[...(rows.length === 0 ? ["no session matches"] : rows), ...more].join("\n")}\n`)
    const line = yield* ui.input("number, or words to filter: ")
    const text = Option.getOrElse(line, () => "").trim()
    if (text === "") return Option.none<string>()
    const picked = /^\d+$/.test(text) ? found.slice(0, limits.rows)[Number(text) - 1] : undefined
    if (picked !== undefined) return Option.some(picked.session.id)
    found = go(text, titled, { key: "title" }).map(({ obj }) => obj)
  }
})
