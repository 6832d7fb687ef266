import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { booked } from "../host/budgets.ts"
import * as embeddings from "../host/embeddings.ts"
import * as LazyHttpClient from "../host/LazyHttpClient.ts"
import * as Stores from "../host/Stores.ts"
import { catchUp } from "../search/catchUp.ts"
import * as Indexer from "../search/Indexer.ts"
import { type Hit, type Role, Search } from "../search/Search.ts"
import * as SqlSearch from "../search/SqlSearch.ts"
import { makeVisible, oneLine } from "../text/visible.ts"
import { project as projectHere } from "./here.ts"
import * as JsonOutput from "./jsonOutput.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import { resolve, shortSession } from "./SessionId.ts"
import { ago } from "./Sessions.ts"
import { parseSince } from "./Since.ts"
import { fit, wrap } from "./terminal/Layout.ts"
import { Screen } from "./terminal/Screen.ts"
import type { Style } from "./terminal/Style.ts"
import { warn } from "./warn.ts"

export interface SearchGiven {
  readonly query: string
  readonly session: Option.Option<string>
  /** Only sessions of the project that one is in. */
  readonly project: boolean
  readonly roles: ReadonlyArray<Role>
  readonly tool: Option.Option<string>
  readonly since: Option.Option<string>
  readonly by: Option.Option<"text" | "meaning">
  readonly limit: number
  readonly json: boolean
}

/** How long a search indexes first what is not yet. */
const patience = "3 seconds"

const found = { text: "text", meaning: "meaning", both: "text and meaning" } as const

const rowsOf = (hit: Hit, now: number, style: Style, width: number): ReadonlyArray<string> => {
  const { by, rewound = false, role, seq, session, snippet, time, title, tool } = hit
  const head = [
    `${shortSession(session)} #${seq}`,
    ago(now - time),
    makeVisible(tool ?? role),
    style.dim(`by ${found[by]}${rewound ? ", rewound since" : ""}`),
    oneLine(title)
  ].join("  ")
  // Where colours show nothing, brackets do.
  const mark = style.coloured ? (text: string) => style.bold(style.yellow(text)) : (text: string) => `[${text}]`
  const text = snippet.map((piece) => (piece.hit ? mark(makeVisible(piece.text)) : makeVisible(piece.text))).join("")
  return [fit(head, width), ...wrap(text, Math.max(20, width - 4)).map((row) => `    ${row}`)]
}

const record = ({ time, ...hit }: Hit): string =>
  JSON.stringify({ ...hit, time: DateTime.formatIso(DateTime.unsafeMake(time)) })

const services = SqlSearch.layer.pipe(
  Layer.provideMerge(embeddings.layer),
  Layer.provide([LazyHttpClient.layer, booked]),
  Layer.provideMerge(Stores.database),
  Layer.merge(Stores.sessions)
)

/** Indexes what has no index yet, as far as that goes in a few seconds; a failure is worth a remark. */
const indexed = Effect.gen(function* () {
  const screen = yield* Screen
  const indexer = yield* Indexer.make(`search-${process.pid}`)
  const done = catchUp(indexer, patience, ({ embedded, messages }) =>
    screen.bottom({ text: `indexing messages: ${embedded} of ${messages}` })
  )
  return yield* done.pipe(
    Effect.as([]),
    Effect.catchAll(({ message }) => Effect.succeed([message])),
    Effect.ensuring(screen.bottom(undefined))
  )
})

/** Searches the sessions of the user, and shows the hits. */
export const searched = (
  { by, json, limit, project, query, roles, session, since, tool }: SearchGiven,
  earlier: ReadonlyArray<string> = []
) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const search = yield* Search
    const from = Option.isNone(since) ? undefined : yield* parseSince(since.value)
    const one = Option.isNone(session) ? undefined : yield* resolve(session.value)
    const own = project ? yield* projectHere : undefined
    const { hits, notes } = yield* search.find({
      query,
      limit,
      session: one,
      project: own,
      roles: roles.length === 0 ? undefined : roles,
      tool: Option.getOrUndefined(tool),
      since: from,
      by: Option.getOrUndefined(by)
    })
    const remarks = [...new Set([...earlier, ...notes])]
    if (json) {
      yield* screen.answer(JsonOutput.render(hits.map(record), { json }))
      return yield* Effect.forEach(remarks, warn, { discard: true })
    }
    const now = yield* Clock.currentTimeMillis
    const rows = hits.map((hit) => rowsOf(hit, now, screen.style, screen.width() - 1).join("\n"))
    const none = rows.length === 0 ? ["No message found."] : []
    const said = remarks.map((remark) => screen.style.dim(makeVisible(remark)))
    yield* screen.answer(`${[...none, ...rows, ...said].join("\n")}\n`)
  })

/** `tollgate search`. */
export const search = (given: SearchGiven) =>
  Effect.flatMap(indexed, (remarks) => searched(given, remarks)).pipe(
    Effect.provide(services),
    Effect.provide(Screen.layer({ split: false })),
    Effect.provide(ReadOnlyHome.reading)
  )
