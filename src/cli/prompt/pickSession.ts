import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Ledger } from "../../cost/Ledger.ts"
import type { DatabaseError } from "../../database/DatabaseError.ts"
import * as Records from "../../host/Stores.ts"
import type { SessionSummary } from "../../runtime/Projection.ts"
import { kindedTitle, sessionKind } from "../../runtime/sessionKind.ts"
import { SessionStore } from "../../runtime/SessionStore.ts"
import { oneLine, visibleLine } from "../../text/visible.ts"
import { project } from "../here.ts"
import { UsageError } from "../Outcome.ts"
import { ago } from "../Sessions.ts"
import { Form, type Item } from "../terminal/Form.ts"
import { fuzzy } from "../terminal/fuzzy.ts"
import { columns, fit } from "../terminal/Layout.ts"
import { Screen } from "../terminal/Screen.ts"
import { costText } from "../terminal/StatusLine.ts"

/** Sessions that are looked through, and waiting requests that are known. */
const limits = { sessions: 200, waiting: 100 }
/** Columns of a branch. */
const branchColumns = 16

const titleOf = ({ title }: SessionSummary): string => oneLine(title) || "(no prompt yet)"

/** The branch on which a session began; none where nothing is recorded of it. */
const branchOf = (store: SessionStore["Type"], session: string): Effect.Effect<string, DatabaseError> =>
  Effect.map(store.read(session, 1, 1), ([first]) =>
    visibleLine((first?.event._tag === "SessionCreated" ? first.event.branch : undefined) ?? "")
  )

const padded = (text: string, wide: number): string => {
  const cut = fit(text, wide)
  return `${cut}${" ".repeat(Math.max(0, wide - columns(cut)))}`
}

/** The sessions of this project as rows, the latest first: whether one waits for an answer, age, what it cost, branch, title. */
const listed = Effect.gen(function* () {
  const store = yield* SessionStore
  const { style } = yield* Screen
  const here = yield* project
  const sessions = yield* store.list({ project: here, limit: limits.sessions })
  if (sessions.length === 0) return yield* new UsageError({ reason: `No sessions in ${here} yet.` })
  const waiting = new Set((yield* store.waiting(limits.waiting)).map(({ request }) => request.sessionId))
  const branches = yield* Effect.forEach(sessions, ({ id }) => branchOf(store, id))
  const kinds = yield* Effect.forEach(sessions, (session) => sessionKind(store, session))
  const costs = new Map(
    (yield* (yield* Ledger).totals("session", { project: here })).map(({ amount, key, unpriced }) => [
      key,
      costText({ amount, unpriced: unpriced > 0 })
    ])
  )
  const money = sessions.map(({ id }) => costs.get(id) ?? "")
  const costly = Math.max(0, ...money.map(columns))
  const wide = Math.min(branchColumns, Math.max(0, ...branches.map(columns)))
  const now = yield* Clock.currentTimeMillis
  return sessions.map((session, index): Item<string> & { readonly words: string } => {
    const branch = branches[index] ?? ""
    const title = kindedTitle(kinds[index] ?? "conversation", titleOf(session))
    const cost = money[index] ?? ""
    const parts = [
      ago(now - session.updatedAt).padEnd(11),
      ...(costly === 0 ? [] : [padded(cost, costly)]),
      ...(wide === 0 ? [] : [padded(branch, wide)]),
      title
    ]
    const mark = waiting.has(session.id) ? style.yellow("⏸") : " "
    return { value: session.id, row: `${mark} ${parts.join(" ")}`, words: `${title} ${branch}` }
  })
}).pipe(Effect.provide([Records.sessions, Records.ledger]))

/** Lets the person pick an earlier session of the project, filtered by what they type; none if they leave. */
export const pickSession = Effect.gen(function* () {
  const form = yield* Form
  const items = yield* listed
  return yield* form.pick({
    question: "Which session?",
    items,
    filter: fuzzy(items, ({ words }: (typeof items)[number]) => words)
  })
})
