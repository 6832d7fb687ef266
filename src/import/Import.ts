import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { MessageRecorded } from "../agent/AgentEvent.ts"
import type { StoredMessage } from "../conversation/Message.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { DocumentMessage, Entry } from "../export/Document.ts"
import * as Pace from "../system/Pace.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { type Envelope, schemaVersion } from "../runtime/Envelope.ts"
import type { DurableEvent } from "../runtime/Event.ts"
import { titleOf } from "../runtime/Projection.ts"
import { HistoryImported, SessionCreated, SessionImported } from "../runtime/RuntimeEvent.ts"
import { redactAhead, redactEvent, withPlainLinks } from "../runtime/redactEvent.ts"
import { type SessionBusy, type SessionFenced, type SessionNotFound, SessionStore } from "../runtime/SessionStore.ts"
import { Ids } from "../tool/Ids.ts"
import { isReserved } from "../tool/reserved.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { isRoot, type WorkerPath } from "../tool/WorkerPath.ts"
import { detected, type NamedFormat } from "./detect.ts"
import type { Drafted, ImportFormat } from "./Draft.ts"
import { ImportRefused, isProblem, reading } from "./ImportProblem.ts"

/** A session that was imported. */
export interface Imported {
  readonly session: string
  readonly format: ImportFormat
  readonly title: string
  readonly messages: number
  readonly warnings: ReadonlyArray<string>
}

/** Where an imported session belongs; never what the file says. */
export interface Target {
  readonly project: string
  readonly directory: string
}

/** Reads the text of a file as a conversation; nothing is stored. */
export const read = <E>(
  file: string,
  text: Stream.Stream<string, E>,
  format?: NamedFormat
): Effect.Effect<Drafted, E | ImportRefused> =>
  Effect.suspend(() => {
    const reader = detected(format)
    const pace = Pace.make()
    return Stream.runForEach(text, (piece) =>
      Effect.zipRight(
        reading(() => reader.push(piece)),
        pace
      )
    ).pipe(
      Effect.zipRight(reading(() => reader.end())),
      Effect.mapError((error) => (isProblem(error) ? new ImportRefused({ file, problem: error.problem }) : error))
    )
  })

/** A message as a model may see it, under an id of ours: by its own, the runtime could take it for its own. */
const stored = ({ message, number }: { readonly message: DocumentMessage; readonly number: number }): StoredMessage => {
  const { content, reasoning, role } = message
  const more = reasoning === undefined ? {} : { reasoning }
  const id = `imported_${number}`
  switch (role) {
    case "assistant": {
      const calls = message.tool_calls === undefined ? {} : { tool_calls: message.tool_calls }
      return { id, message: { role, content, ...calls }, ...more }
    }
    case "tool":
      return { id, message: { role, tool_call_id: message.tool_call_id, content: message.content }, ...more }
    case "user": {
      const images = message.images === undefined ? {} : { images: message.images }
      return { id, message: { role, content: message.content, ...images }, ...more }
    }
    default:
      return { id, message: { role, content: message.content }, ...more }
  }
}

/** What the file says of a message besides. */
const about = (message: DocumentMessage): object => {
  const { content: _, reasoning: _1, role: _2, ...rest } = message
  return Object.fromEntries(
    Object.entries(rest).filter(([name]) => !["tool_calls", "tool_call_id", "images"].includes(name))
  )
}

/** No model sees it: it no longer counts, speaks for the system, or asks for what only the runtime asks for. */
const isQuarantined = (message: DocumentMessage): boolean =>
  message.rewound === true ||
  message.role === "system" ||
  (message.role === "assistant" && message.tool_calls?.some((call) => isReserved(call.function.name)) === true)

/** What a session is listed by whose file gives it no title: the beginning of its first prompt, as one begun here. */
const firstPrompt = (entries: ReadonlyArray<Entry>): string => {
  const first = entries.find(
    (entry) => "message" in entry && entry.message.role === "user" && !isQuarantined(entry.message)
  )
  return first !== undefined && "message" in first ? titleOf(first.message.content ?? "") : ""
}

/** The event that an entry is stored as: none of them opens, asks or grants anything. */
const eventOf = (entry: Entry, number: number): { readonly event: DurableEvent; readonly worker?: WorkerPath } => {
  if ("happened" in entry || isQuarantined(entry.message)) {
    return { event: new HistoryImported({ entry }, trusted) }
  }
  const { message } = entry
  const event = new MessageRecorded({ message: stored({ message, number }), imported: about(message) }, trusted)
  return message.worker === undefined || isRoot(message.worker) ? { event } : { event, worker: message.worker }
}

/**
 * Stores what was read as a session of its own, in one transaction: under a new id, without grants, and with nothing in it
 * that runs.
 */
export const store = (
  { entries, format, messages, session: origin, warnings: given }: Drafted,
  { directory, project }: Target
): Effect.Effect<Imported, SessionBusy | SessionFenced | SessionNotFound | DatabaseError, SessionStore> =>
  Effect.gen(function* () {
    const sessions = yield* SessionStore
    const redactor = yield* Redactor
    const session = yield* (yield* Ids).next("session")
    const time = yield* Clock.currentTimeMillis
    const title = redactor.text(origin.title ?? firstPrompt(entries))
    const warnings = given.map(redactor.text)
    const at = directory === project ? {} : { directory }
    const last = entries.length + 2
    const first = [
      new SessionCreated({ project, ...at, profile: "" }, trusted),
      new SessionImported({ format, title, messages, last, warnings, origin: { id: "", ...origin, title } }, trusted)
    ]
    const pace = Pace.make()
    const envelopes: Array<Envelope> = []
    const add = (event: DurableEvent, worker?: WorkerPath) =>
      Effect.zipRight(
        redactAhead(event, redactor),
        Effect.zipRight(
          Effect.sync(() =>
            envelopes.push({
              version: schemaVersion,
              seq: envelopes.length + 1,
              time,
              session,
              ...(worker === undefined ? {} : { worker }),
              event: redactEvent(event, redactor)
            })
          ),
          pace
        )
      )
    yield* Effect.forEach(first, (event) => add(event), { discard: true })
    yield* Effect.forEach(
      entries,
      (entry, index) => {
        const { event, worker } = eventOf(withPlainLinks(entry, redactor), index + 1)
        return add(event, worker)
      },
      { discard: true }
    )
    yield* Effect.scoped(
      Effect.flatMap(sessions.open({ session, create: { project, profile: "", time } }), (lease) =>
        sessions.append(lease, envelopes)
      )
    )
    return { session, format, title, messages, warnings }
  })
