import * as Effect from "effect/Effect"
import type { ModelView } from "../conversation/ModelView.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { isRoot, root } from "../tool/WorkerPath.ts"
import { tells, told } from "./backgroundNews.ts"
import { BackgroundEnded, type BackgroundStarted } from "./RuntimeEvent.ts"
import { isRewound } from "./Rewound.ts"
import type { SessionStore } from "./SessionStore.ts"

type Store = Pick<SessionStore["Type"], "rewound" | "tagged">

/** A background command of an earlier runtime, and where the log has it. */
interface Known {
  readonly started: BackgroundStarted
  readonly at: number
  end: { readonly event: BackgroundEnded; readonly at: number } | undefined
}

/** Why a command has ended whose end was not recorded. */
const reasons = {
  stopped: "Tollgate stopped, and its processes with it",
  forked: "the session was forked, and it does not run in the copy"
} as const

/** The background commands in a log, oldest first. */
const commandsIn = (session: string, store: Store): Effect.Effect<ReadonlyArray<Known>, DatabaseError> =>
  Effect.map(store.tagged(session, ["BackgroundStarted", "BackgroundEnded"]), (events) => {
    const found = new Map<string, Known>()
    for (const { event, seq: at } of events) {
      if (event._tag === "BackgroundStarted") found.set(event.id, { started: event, at, end: undefined })
      const known = event._tag === "BackgroundEnded" ? found.get(event.id) : undefined
      if (known !== undefined && event._tag === "BackgroundEnded") known.end = { event, at }
    }
    return [...found.values()]
  })

/** The ends of the background commands that a log has no end of, in the order in which they started. */
export const ends = (
  session: string,
  store: Store,
  cut: keyof typeof reasons
): Effect.Effect<ReadonlyArray<BackgroundEnded>, DatabaseError> =>
  Effect.map(commandsIn(session, store), (commands) => commands.flatMap((known) => endOf(known, cut)))

const endOf = ({ end, started: { command, id } }: Known, cut: keyof typeof reasons) =>
  end === undefined
    ? [new BackgroundEnded({ id, command, reason: reasons[cut], exitCode: null, stopped: true }, trusted)]
    : []

/** The background commands of a session that is opened again: none of them runs any more. */
export interface Left {
  /** The ends that are still to be recorded. */
  readonly ends: ReadonlyArray<BackgroundEnded>
  /** What the model is to be told of those that ended while no turn could tell it. */
  readonly news: ReadonlyArray<string>
}

/** Looks for the background commands that ended with an earlier runtime of the session. */
export const find = (session: string, store: Store, view: ModelView): Effect.Effect<Left, DatabaseError> =>
  Effect.gen(function* () {
    const commands = yield* commandsIn(session, store)
    if (commands.length === 0) return { ends: [], news: [] }
    const rewound = yield* store.rewound(session)
    const read = view.all.flatMap(({ message }) => (message.role === "tool" ? [message.content] : []))
    const unread = commands.filter(
      ({ at, started: { id } }) => !isRewound(rewound, at) && !read.some((text) => text.includes(`${id} has ended`))
    )
    const from = Math.min(...unread.flatMap(({ end }) => (end === undefined ? [] : [end.at])))
    const messages = Number.isFinite(from) ? yield* store.tagged(session, ["MessageRecorded"], from) : []
    const said = messages.flatMap(({ event, seq, worker }) =>
      event._tag === "MessageRecorded" && isRoot(worker ?? root) && !isRewound(rewound, seq)
        ? [{ at: seq, text: event.message.message.content ?? "" }]
        : []
    )
    const isTold = ({ end, started: { id } }: Known) =>
      end !== undefined && said.some(({ at, text }) => at > end.at && tells(text, id))
    return {
      ends: commands.flatMap((known) => endOf(known, "stopped")),
      news: unread.flatMap((known) => {
        const [end = known.end?.event] = endOf(known, "stopped")
        return end === undefined || isTold(known) ? [] : [told(end, false)]
      })
    }
  })
