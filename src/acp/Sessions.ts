import type {
  ContentBlock,
  ListSessionsResponse,
  LoadSessionResponse,
  NewSessionResponse,
  PromptResponse,
  SessionConfigOption,
  SessionInfo
} from "@agentclientprotocol/sdk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { Host } from "../host/Host.ts"
import { CreateSession, DeleteSession, ResumeSession, SuspendSession } from "../runtime/Command.ts"
import { recordedPlace } from "../runtime/recordedPlace.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { visibleLine } from "../text/visible.ts"
import { Ids } from "../tool/Ids.ts"
import { trusted } from "../tool/ToolEvent.ts"
import type { Editor } from "./Editor.ts"
import * as Entry from "./Entry.ts"
import { configOptionsOf, modeStateOf } from "./Options.ts"
import { promptOf } from "./PromptContent.ts"
import { type EditorRequestRefused, invalid, notOpen, refusedBy, unknown } from "./Refused.ts"
import * as Settings from "./Settings.ts"
import { isoTime, Updates } from "./Updates.ts"

/** Sessions that one editor has open at a time, and that one answer lists. */
const maxOpen = 256
const page = 100
/** Sessions that are looked through for a list. */
const maxListed = 10_000

/** How long what is cancelled may take before its session is closed anyway. */
const patience = Duration.seconds(10)

const tooMany = invalid(`An editor has ${maxOpen} sessions open at most. Close one first.`)

/** The sessions of an editor, by what it may ask of them. */
export const make = (editor: Editor) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const store = yield* SessionStore
    const host = yield* Host
    const ids = yield* Ids
    const settings = yield* Settings.make
    const entries = new Map<string, Entry.Entry>()
    const { open, replay } = yield* Entry.make(editor, settings, {
      add: (entry) => entries.set(entry.open.session, entry),
      remove: (entry) => {
        if (entries.get(entry.open.session) === entry) entries.delete(entry.open.session)
      }
    })
    /** Sessions are opened and closed one after the other. */
    const turns = yield* Effect.makeSemaphore(1)

    const found = (session: string): Effect.Effect<Entry.Entry, EditorRequestRefused> =>
      Effect.suspend(() => {
        const known = entries.get(session)
        return known === undefined ? notOpen(session) : Effect.succeed(known)
      })

    const located = (directory: string) =>
      directory.includes("\0") ? invalid("cwd: no path has the character U+0000.") : host.locate(directory)

    /** An id that no database can look for is that of no session. */
    const named = (session: string): Effect.Effect<string, EditorRequestRefused> =>
      session.includes("\0") ? unknown(JSON.stringify(session)) : Effect.succeed(session)

    /** Takes a session that is open nowhere else. */
    const resumed = (
      session: string,
      opening: Entry.Opening,
      stored: "replayed" | "silent"
    ): Effect.Effect<LoadSessionResponse, EditorRequestRefused> =>
      Effect.gen(function* () {
        const summary = yield* store.get(yield* named(session))
        const place = yield* recordedPlace(store, { project: summary.project, session })
        const { directory } = yield* located(opening.cwd)
        if (directory !== place.directory) {
          return yield* invalid(
            `Session ${session} works in ${place.directory}, and the editor names ${directory}. Open it from its own directory.`
          )
        }
        const known = entries.get(session)
        if (known !== undefined) {
          if (stored === "replayed") {
            const updates = new Updates({ directory, can: editor.can })
            yield* replay(session, updates, Infinity)
          }
          const now = yield* known.options
          return { modes: modeStateOf(now), configOptions: configOptionsOf(now) }
        }
        if (entries.size >= maxOpen) return yield* tooMany
        const begin = Effect.map(runtime.request(new ResumeSession({ session }, trusted)), ({ event, seq }) => ({
          seq,
          resumed: event._tag === "SessionResumed"
        }))
        return yield* open({ session, place, stored, begin }, opening)
      }).pipe(Effect.mapError(refusedBy(session)), turns.withPermits(1))

    const closed = ({ cancel, open: { quiet, session }, scope: own }: Entry.Entry) =>
      Effect.gen(function* () {
        yield* cancel
        yield* Effect.timeoutOption(quiet, patience)
        yield* Effect.ignoreLogged(runtime.request(new SuspendSession({ session }, trusted)))
        entries.delete(session)
        yield* Scope.close(own, Exit.void)
      })

    return {
      create: (opening: Entry.Opening): Effect.Effect<NewSessionResponse, EditorRequestRefused> =>
        Effect.gen(function* () {
          if (entries.size >= maxOpen) return yield* tooMany
          const place = yield* located(opening.cwd)
          const session = yield* ids.next("session")
          const create = new CreateSession({ session, project: place.directory }, trusted)
          const begin = Effect.map(runtime.request(create), ({ seq }) => ({ seq, resumed: false }))
          return { sessionId: session, ...(yield* open({ session, place, begin }, opening)) }
        }).pipe(Effect.mapError(refusedBy()), turns.withPermits(1)),

      load: (session: string, opening: Entry.Opening) => resumed(session, opening, "replayed"),
      resume: (session: string, opening: Entry.Opening) => resumed(session, opening, "silent"),

      list: (
        cwd: string | undefined,
        cursor: string | undefined
      ): Effect.Effect<ListSessionsResponse, EditorRequestRefused> =>
        Effect.gen(function* () {
          if (cursor !== undefined && !/^\d{1,5}$/.test(cursor)) return yield* invalid("Unknown cursor.")
          const from = Number(cursor ?? 0)
          const place = cwd === undefined ? undefined : yield* located(cwd)
          const limit = Math.min(maxListed, from + page + 1)
          const filter = place === undefined ? {} : { project: place.project }
          const all = (yield* store.list({ ...filter, limit })).slice(from)
          const placed = yield* Effect.forEach(all.slice(0, page), ({ id, project, title, updatedAt }) =>
            Effect.map(recordedPlace(store, { project, session: id }), ({ directory }): SessionInfo => ({
              sessionId: id,
              cwd: directory,
              updatedAt: isoTime(updatedAt),
              ...(title === "" ? {} : { title: visibleLine(title) })
            }))
          )
          return {
            sessions: placed.filter((one) => place === undefined || one.cwd === place.directory),
            ...(all.length > page ? { nextCursor: String(from + page) } : {})
          }
        }).pipe(Effect.mapError(refusedBy())),

      close: (session: string) => Effect.flatMap(found(session), closed).pipe(turns.withPermits(1)),

      delete: (session: string): Effect.Effect<void, EditorRequestRefused> =>
        Effect.gen(function* () {
          const known = entries.get(session)
          if (known !== undefined) yield* closed(known)
          const command = new DeleteSession({ session: yield* named(session) }, trusted)
          yield* Effect.mapError(runtime.request(command), refusedBy(session))
        }).pipe(turns.withPermits(1)),

      prompt: (
        session: string,
        blocks: ReadonlyArray<ContentBlock>,
        cancelled: Effect.Effect<void>
      ): Effect.Effect<PromptResponse, EditorRequestRefused> =>
        Effect.gen(function* () {
          const { open: opened, settled } = yield* found(session)
          const prompt = yield* promptOf(blocks, opened.directory)
          const outcome = yield* Effect.raceFirst(settled, Effect.as(cancelled, "cancelled" as const))
          if (outcome === "cancelled") return { stopReason: "cancelled" }
          return yield* opened.prompt(prompt, cancelled)
        }),

      cancel: (session: string): Effect.Effect<void> =>
        Effect.suspend(() => entries.get(session)?.cancel ?? Effect.void),

      setMode: (session: string, mode: string): Effect.Effect<void, EditorRequestRefused> =>
        Effect.flatMap(found(session), ({ options }) => settings.setMode(session, options, mode)),

      setOption: (
        session: string,
        option: string,
        value: unknown
      ): Effect.Effect<Array<SessionConfigOption>, EditorRequestRefused> =>
        Effect.flatMap(found(session), ({ options }) => settings.setOption(session, options, option, value))
    }
  })

export type Sessions = Effect.Effect.Success<ReturnType<typeof make>>
