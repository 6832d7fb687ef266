import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { oneLine } from "../text/visible.ts"
import * as Stream from "effect/Stream"
import { toLine } from "../runtime/Envelope.ts"
import { isRewound } from "../runtime/Rewound.ts"
import { Runtime } from "../runtime/Runtime.ts"
import type { SessionSummary } from "../runtime/Projection.ts"
import { kindedTitle, type SessionKind, sessionKind } from "../runtime/sessionKind.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { present } from "../ui/present.ts"
import { Ui } from "../ui/Ui.ts"
import { many } from "../ui/Words.ts"
import * as Pace from "../system/Pace.ts"
import * as Frontend from "./Frontend.ts"
import { fit } from "./terminal/Layout.ts"
import * as JsonOutput from "./jsonOutput.ts"
import { reading } from "./reading.ts"
import * as Records from "../host/Stores.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import { Screen } from "./terminal/Screen.ts"
import { project } from "./here.ts"
import { named, shortLength, shortSession } from "./SessionId.ts"
import { warn } from "./warn.ts"

export interface ListOptions extends JsonOutput.JsonOptions {
  readonly all: boolean
  readonly limit: number
}

/** Sessions that are counted. */
const counted = 10_000

/** How long ago something was, roughly. */
export const ago = (millis: number): string => {
  const minutes = Math.floor(millis / 60_000)
  if (minutes < 1) return "just now"
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`
  return `${Math.floor(minutes / 60 / 24)} days ago`
}

/** A session with what it is. */
type Kinded = SessionSummary & { readonly kind: SessionKind }

const line = (session: Kinded, now: number): string =>
  [
    shortSession(session.id).padEnd(shortLength),
    ago(now - session.updatedAt).padEnd(11),
    kindedTitle(session.kind, oneLine(session.title) || "(no prompt yet)")
  ].join("  ")

const record = (session: Kinded): string =>
  JSON.stringify({
    ...session,
    createdAt: DateTime.formatIso(DateTime.unsafeMake(session.createdAt)),
    updatedAt: DateTime.formatIso(DateTime.unsafeMake(session.updatedAt))
  })

/** Lists sessions, the latest first. */
export const list = ({ all, json, jsonl, limit }: ListOptions) =>
  Effect.gen(function* () {
    yield* JsonOutput.oneOf({ json, jsonl })
    const store = yield* SessionStore
    const screen = yield* Screen
    const here = yield* project
    const where = all ? {} : { project: here }
    const sessions = yield* Effect.forEach(yield* store.list({ limit, ...where }), (session) =>
      Effect.map(sessionKind(store, session), (kind): Kinded => ({ ...session, kind }))
    )
    const now = yield* Clock.currentTimeMillis
    if (json || jsonl) return yield* screen.answer(JsonOutput.render(sessions.map(record), { json }))
    if (sessions.length === 0) {
      const none = all
        ? 'No sessions yet. Start one: tollgate run "…"'
        : `No sessions in ${here} yet. tollgate sessions list --all shows those of other directories.`
      return yield* screen.answer(`${none}\n`)
    }
    yield* screen.answer(sessions.map((session) => `${fit(line(session, now), screen.width() - 1)}\n`).join(""))
    const found = sessions.length < limit ? sessions : yield* store.list({ limit: counted, ...where })
    const isCut = found.length > sessions.length
    const count = isCut
      ? `${sessions.length} of ${many(found.length, "session")} · --limit N`
      : many(sessions.length, "session")
    if (screen.live) yield* screen.answer(`\n${screen.style.dim(`${count} · tollgate sessions show ID`)}\n`)
    else if (isCut) yield* warn(count)
  }).pipe(
    Effect.provide(Records.sessions),
    Effect.provide(Screen.layer({ split: false })),
    Effect.provide(ReadOnlyHome.reading)
  )

/** Shows a stored session as it looked when it happened, or gives it with its events as data. */
export const show = (given: { readonly session: Option.Option<string>; readonly json: boolean }) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const store = yield* SessionStore
    const ui = yield* Ui
    const session = yield* named(given.session)
    const rewound = yield* store.rewound(session)
    const events = Stream.filter(
      runtime.subscribe(session, { from: 1, follow: false }),
      ({ seq }) => !isRewound(rewound, seq)
    )
    if (!given.json) return yield* Effect.ensuring(present(events), ui.stop)
    const pace = Pace.make()
    const lines = yield* Stream.runCollect(Stream.mapEffect(events, (one) => Effect.as(pace, toLine(one))))
    const summary = yield* store.get(session)
    const own = record({ ...summary, kind: yield* sessionKind(store, summary) })
    const { answer } = yield* Screen
    yield* answer(`${own.slice(0, -1)},"events":${JsonOutput.render([...lines], given).trimEnd()}}\n`)
  }).pipe(
    Effect.provide(reading),
    Effect.provide(Frontend.layer({ split: false, keys: false })),
    Effect.provide(ReadOnlyHome.reading)
  )
