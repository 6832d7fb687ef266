import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { FileStep, RestoredFile } from "../checkpoint/FileStep.ts"
import type { FilePlan, Restored, RestoreFailed, Rewinding } from "../checkpoint/Rewinding.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { callKey } from "../tool/CallPlace.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { isRoot, root } from "../tool/WorkerPath.ts"
import { causeOf, type PreviewRewind, type RewindSession } from "./Command.ts"
import type { Envelope } from "./Envelope.ts"
import type { Event } from "./Event.ts"
import { RewindPreviewed, SessionRewound } from "./RuntimeEvent.ts"
import type { EventLog } from "./EventLog.ts"
import { conversationTags, messageOf } from "./Projection.ts"
import { load } from "./recover.ts"
import { isRewound, type Rewound } from "./Rewound.ts"
import type { SessionNotFound, SessionStore } from "./SessionStore.ts"

/** The session cannot go back to there; nothing was changed. */
export class RewindRefused extends Schema.TaggedError<RewindRefused>()("RewindRefused", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

export type RewindError = RewindRefused | RestoreFailed | SessionNotFound | DatabaseError

type Store = SessionStore["Type"]

/** Fails unless the event is part of what counts. */
const checked = (
  store: Store,
  session: string,
  to: number
): Effect.Effect<ReadonlyArray<Rewound>, RewindRefused | SessionNotFound | DatabaseError> =>
  Effect.gen(function* () {
    const { head } = yield* store.get(session)
    if (to < 2 || to > head) {
      return yield* new RewindRefused({
        reason: `Session ${session} cannot go back to before event ${to}; give one from 2 to ${head}. Nothing was changed.`
      })
    }
    const rewound = yield* store.rewound(session)
    return isRewound(rewound, to)
      ? yield* new RewindRefused({
          reason: `Event ${to} of session ${session} no longer counts: the session was rewound. Nothing was changed.`
        })
      : rewound
  })

/** What has happened to files from an event on, in its order. */
const stepsFrom = (
  store: Store,
  session: string,
  to: number
): Effect.Effect<ReadonlyArray<FileStep | RestoredFile>, DatabaseError> =>
  Effect.map(store.tagged(session, ["CheckpointSaved", "SessionRewound"], to), (events) =>
    events.flatMap(({ event }): ReadonlyArray<FileStep | RestoredFile> =>
      event._tag === "CheckpointSaved" ? event.files : event._tag === "SessionRewound" ? event.restored : []
    )
  )

/** Where files are not kept, none is put back. */
const keepsNone = (steps: ReadonlyArray<FileStep | RestoredFile>) => ({
  files: [],
  restored: [],
  left: [...new Set(steps.map(({ path }) => path))].map((path) => ({ path, reason: "this runtime keeps no files" })),
  digest: ""
})

const planned = (
  files: Rewinding | undefined,
  session: string,
  steps: ReadonlyArray<FileStep | RestoredFile>
): Effect.Effect<FilePlan> => (files === undefined ? Effect.succeed(keepsNone(steps)) : files.plan(session, steps))

/** Tools that run programs, which change what no checkpoint has. */
const programs = new Set(["run_shell", "git_commit", "git_push"])
/** What tells of a call whether it ran, and as what. */
const callTags = ["ToolCallRequested", "ApprovalRequested", "ToolCallStarted"] as const
/** Commands that are named, and characters of each. */
const maxCommands = 5
const maxCommand = 200

const Command = Schema.Struct({ command: Schema.String })
const commandIn = Schema.decodeUnknownOption(Schema.Union(Schema.parseJson(Command), Command))

const callOf = (event: Event) => {
  switch (event._tag) {
    case "ToolCallRequested":
    case "ToolCallStarted":
      return event
    case "ApprovalRequested":
      return event.request
    default:
      return undefined
  }
}

/** What ran, not what was only asked for: a call that was denied or refused has changed nothing. */
const commandsIn = (events: ReadonlyArray<Envelope>): ReadonlyArray<string> => {
  const lines = new Map<string, string>()
  const ran: Array<string> = []
  for (const { event, iteration, task, worker } of events) {
    const call = callOf(event)
    if (call === undefined || !programs.has(call.tool)) continue
    const key = callKey({ iteration, task, worker }, call.callId)
    // A person or a hook may have changed the command before it ran.
    const given = "arguments" in call ? call.arguments : call.parameters
    if (given !== undefined) {
      const line = Option.match(commandIn(given), {
        onNone: () => call.tool,
        onSome: ({ command }) => command.split("\n")[0] ?? call.tool
      })
      lines.set(key, line.slice(0, maxCommand))
    }
    if (event._tag === "ToolCallStarted") ran.push(lines.get(key) ?? call.tool)
  }
  return ran.slice(-maxCommands)
}

/** What a rewind would do. */
export const preview = (
  store: Store,
  files: Rewinding | undefined,
  command: PreviewRewind
): Effect.Effect<RewindPreviewed, RewindRefused | SessionNotFound | DatabaseError> =>
  Effect.gen(function* () {
    const { session, to } = command
    const rewound = yield* checked(store, session, to)
    const plan = yield* planned(files, session, yield* stepsFrom(store, session, to))
    const told = yield* store.tagged(session, [...conversationTags, ...callTags], to)
    const counts = told.filter(({ seq }) => !isRewound(rewound, seq))
    return new RewindPreviewed(
      {
        ...causeOf(command),
        of: session,
        to,
        ...plan,
        commands: commandsIn(counts),
        messages: counts.filter(({ event }) => messageOf(event) !== undefined).length
      },
      trusted
    )
  })

/** Where the model's view began before an event. */
const visibleBefore = (
  store: Store,
  session: string,
  to: number,
  rewound: ReadonlyArray<Rewound>
): Effect.Effect<number, DatabaseError> =>
  Effect.map(store.tagged(session, ["SessionCleared", "SessionCompacted"]), (events) => {
    const last = events.findLast(
      ({ event, seq, worker }) =>
        seq < to && !isRewound(rewound, seq) && (event._tag === "SessionCleared" || isRoot(worker ?? root))
    )
    if (last === undefined) return 1
    return last.event._tag === "SessionCleared" ? last.seq + 1 : last.seq
  })

/** Goes back: the files first, so that a crash in between leaves a rewind that can be repeated. */
export const rewind = (
  { log, store, view }: { readonly log: EventLog; readonly store: Store; readonly view: ModelView },
  files: Rewinding | undefined,
  command: RewindSession
): Effect.Effect<void, RewindError> =>
  Effect.gen(function* () {
    const { digest, session, to } = command
    const rewound = yield* checked(store, session, to)
    const steps = yield* stepsFrom(store, session, to)
    const visibleFrom = yield* visibleBefore(store, session, to, rewound)
    const { left, restored }: Restored =
      files === undefined ? keepsNone(steps) : yield* files.restore(session, steps, digest)
    yield* log.commit(new SessionRewound({ ...causeOf(command), to, visibleFrom, restored, left }, trusted), {})
    view.apply({ _tag: "Replaced", messages: [], todos: [] })
    yield* load(session, store, view)
  })
