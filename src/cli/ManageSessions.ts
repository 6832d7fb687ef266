import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Configuration } from "../config/Configuration.ts"
import { Database } from "../database/Database.ts"
import { managing } from "../host/managing.ts"
import {
  DeleteSession,
  ForkSession,
  maxTitle,
  PreviewRewind,
  RenameSession,
  RewindSession
} from "../runtime/Command.ts"
import type { SessionSummary } from "../runtime/Projection.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { SessionFiles } from "../runtime/SessionFiles.ts"
import { SessionBusy, SessionStore } from "../runtime/SessionStore.ts"
import { Ids } from "../tool/Ids.ts"
import { makeVisible, oneLine } from "../text/visible.ts"
import { Ui } from "../ui/Ui.ts"
import { bytes as sizeText, many } from "../ui/Words.ts"
import * as Frontend from "./Frontend.ts"
import { project } from "./here.ts"
import { invocation } from "./invocation.ts"
import { document, unasked } from "./jsonOutput.ts"
import { NobodyToAsk, UsageError } from "./Outcome.ts"
import { rewindLines } from "./rewindLines.ts"
import { resolve, shortLength, shortSession } from "./SessionId.ts"
import { ago } from "./Sessions.ts"
import { parseSince } from "./Since.ts"
import { parseSize } from "./Size.ts"
import { rowsOf } from "./terminal/approval/approvalRows.ts"
import { Form } from "./terminal/Form.ts"
import { fit } from "./terminal/Layout.ts"
import { Screen } from "./terminal/Screen.ts"

const managed = <A, E, R>(self: Effect.Effect<A, E, R>, asks = false) =>
  Effect.flatMap(Ui, (ui) => Effect.ensuring(self, ui.stop)).pipe(
    Effect.provide(managing),
    Effect.provide(Frontend.layer({ split: false, keys: asks })),
    Effect.provide(Configuration.layer())
  )

const done = (text: string) => Effect.flatMap(Screen, ({ answer, style }) => answer(`${style.green("✓")} ${text}\n`))

/** Whether the person agrees; fails where there is none, and says how to look first, if that can be done. */
const agreed = (question: string, yes: boolean, look?: "--dry-run") =>
  Effect.gen(function* () {
    if (yes) return true
    if (!(yield* Screen).interactive) {
      const first = look === undefined ? "Repeat" : `Look with ${look}, then repeat`
      return yield* new NobodyToAsk({ reason: `No terminal to confirm in. ${first} with --yes.` })
    }
    return yield* (yield* Form).agree({ question })
  })

/** Fails where a process has the session open, before anything is asked. */
const isFree = (session: string) =>
  Effect.gen(function* () {
    const { handover } = yield* SessionStore
    const owner = handover === undefined ? undefined : yield* handover.owner(session)
    if (owner !== undefined) return yield* new SessionBusy({ session, pid: owner })
  })

interface TitleOptions {
  readonly id: string
  readonly title: ReadonlyArray<string>
  readonly json: boolean
}

/** Gives a session a title. */
export const title = ({ id, json, title: words }: TitleOptions) =>
  Effect.gen(function* () {
    const given = words.join(" ").trim()
    if (given === "" || given.length > maxTitle) {
      return yield* new UsageError({ reason: `A title has 1 to ${maxTitle} characters.` })
    }
    const session = yield* resolve(id)
    const { event } = yield* (yield* Runtime).request(new RenameSession({ session, title: given }))
    yield* json
      ? document({ session, title: event.title })
      : done(`${shortSession(session)}: ${makeVisible(event.title)}`)
  }).pipe(managed)

interface ForkOptions {
  readonly id: string
  readonly at: Option.Option<number>
  readonly json: boolean
}

/** Copies a session into a new one. */
export const fork = ({ at, id, json }: ForkOptions) =>
  Effect.gen(function* () {
    const session = yield* resolve(id)
    const copy = yield* (yield* Ids).next("session")
    const last = Option.match(at, { onNone: () => ({}), onSome: (last) => ({ last }) })
    const { event } = yield* (yield* Runtime).request(new ForkSession({ session, fork: copy, ...last }))
    if (json) return yield* document({ session: copy, copyOf: session, last: event.last })
    yield* done(`${copy}: a copy of ${shortSession(session)} up to event ${event.last}`)
    const { progress, style } = yield* Screen
    yield* progress(`${style.dim(`${invocation()} --session ${shortSession(copy)} goes on with it`)}\n`)
  }).pipe(managed)

export interface RewindOptions {
  readonly id: string
  readonly to: number
  readonly dryRun: boolean
  readonly yes: boolean
  readonly json: boolean
}

/** Takes a session back to before an event, with the files. */
export const rewind = ({ dryRun, id, json, to, yes }: RewindOptions) =>
  Effect.gen(function* () {
    yield* unasked(json, yes || dryRun, "--yes or --dry-run")
    const runtime = yield* Runtime
    const { answer, style, width } = yield* Screen
    const session = yield* resolve(id)
    if (!dryRun) yield* isFree(session)
    const { event: preview } = yield* runtime.request(new PreviewRewind({ session, to }))
    const { commands, files, left, messages } = preview
    const found = { session, to, messages, files: files.map(({ change, path }) => ({ change, path })), left, commands }
    if (json && dryRun) return yield* document({ ...found, rewound: false })
    const rows = json ? [] : rowsOf(rewindLines(preview, `before event ${to}`), width(), style)
    const shown = answer(rows.map(({ text }) => `${text}\n`).join(""))
    // Where nobody is to decide by it, a refusal comes first.
    if (!yes || dryRun) yield* shown
    if (dryRun) return
    if (!(yield* agreed("Rewind?", yes, "--dry-run"))) return yield* answer("Nothing was changed.\n")
    const { event } = yield* runtime.request(new RewindSession({ session, to, digest: preview.digest }))
    if (json) return yield* document({ ...found, rewound: true })
    if (yes) yield* shown
    yield* done(
      `${shortSession(session)} is back to before event ${to}; ${many(event.restored.length, "file")} put back`
    )
  }).pipe((self) => managed(self, !yes && !dryRun))

/** What a session takes: its events, and what it has on the disk. */
const sizeOf = (session: string) =>
  Effect.gen(function* () {
    const files = yield* SessionFiles
    return (yield* (yield* SessionStore).size(session)) + (yield* files.size(session))
  })

const line = ({ id, title, updatedAt }: SessionSummary, size: number, now: number): string =>
  [
    shortSession(id).padEnd(shortLength),
    ago(now - updatedAt).padEnd(11),
    sizeText(size).padStart(9),
    oneLine(title) || "(no prompt yet)"
  ].join("  ")

/** Why a session is not pruned; nothing where it can be. */
const keptBecause = (session: string) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const owner = store.handover === undefined ? undefined : yield* store.handover.owner(session)
    if (owner !== undefined) return `open in process ${owner}`
    return (yield* store.unfinished(session)).requests.length > 0 ? "waits for an answer" : undefined
  })

/** Gives the system back what the database no longer needs, and says how much, or how. */
const freed = Effect.gen(function* () {
  const { progress, style } = yield* Screen
  const database = yield* Database
  const { after, before, free, others } = yield* database.shrink
  const text =
    after < before
      ? `the database shrank from ${sizeText(before)} to ${sizeText(after)}`
      : free === 0
        ? undefined
        : others
          ? `${sizeText(free)} in the database are free for later sessions; to shrink the file, run tollgate sessions prune once no other tollgate runs`
          : `${sizeText(free)} in the database are free for later sessions`
  if (text !== undefined) yield* progress(`${style.dim(text)}\n`)
})

/** Deletes one session. */
export const remove = ({ id, json, yes }: { readonly id: string; readonly yes: boolean; readonly json: boolean }) =>
  Effect.gen(function* () {
    yield* unasked(json, yes, "--yes")
    const session = yield* resolve(id)
    const summary = yield* (yield* SessionStore).get(session)
    yield* isFree(session)
    const { answer } = yield* Screen
    const size = yield* sizeOf(session)
    if (!json) yield* answer(`${line(summary, size, yield* Clock.currentTimeMillis)}\n`)
    if (!(yield* agreed("Delete it for good, with what was kept of its files?", yes))) {
      return yield* answer("Nothing was deleted.\n")
    }
    yield* (yield* Runtime).request(new DeleteSession({ session }))
    if (json) {
      yield* document({ session, title: summary.title, bytes: size, deleted: true })
      return yield* Effect.flatMap(Database, ({ shrink }) => shrink)
    }
    yield* done(`${shortSession(session)} is deleted; what it has cost and its audit stay`)
    return yield* freed
  }).pipe((self) => managed(self, !yes))

export interface PruneOptions {
  readonly olderThan: Option.Option<string>
  readonly largerThan: Option.Option<string>
  readonly all: boolean
  readonly dryRun: boolean
  readonly yes: boolean
  readonly json: boolean
}

/** Sessions that one prune looks through. */
const lookedThrough = 100_000

/** Deletes the sessions that are old and large enough, but for those that are open or wait for an answer. */
export const prune = ({ all, dryRun, json, largerThan, olderThan, yes }: PruneOptions) =>
  Effect.gen(function* () {
    if (Option.isNone(olderThan) && Option.isNone(largerThan)) {
      return yield* new UsageError({ reason: "Say which: --older-than 30d, --larger-than 10MB, or both." })
    }
    yield* unasked(json, yes || dryRun, "--yes or --dry-run")
    const store = yield* SessionStore
    const runtime = yield* Runtime
    const { answer, style, width } = yield* Screen
    const now = yield* Clock.currentTimeMillis
    const before = Option.isNone(olderThan) ? Infinity : yield* parseSince(olderThan.value, "--older-than")
    const least = Option.isNone(largerThan) ? 0 : yield* parseSize(largerThan.value)
    const where = all ? {} : { project: yield* project }
    const old = (yield* store.list({ ...where, limit: lookedThrough })).filter(({ updatedAt }) => updatedAt < before)
    const sized = yield* Effect.forEach(old, (summary) => Effect.map(sizeOf(summary.id), (size) => ({ size, summary })))
    const wanted = sized.filter(({ size }) => size >= least)
    const checked = yield* Effect.forEach(wanted, (one) =>
      Effect.map(keptBecause(one.summary.id), (kept) => ({ ...one, kept }))
    )
    const going = checked.filter(({ kept }) => kept === undefined)
    const listed = checked.map(({ kept, size, summary }) => {
      const row = line(summary, size, now)
      return `${fit(kept === undefined ? row : style.dim(`${row} · stays: ${kept}`), width() - 1)}\n`
    })
    /** What became of each, by why it stays if it does. */
    const told = (because: (id: string) => string | undefined) =>
      document({
        sessions: checked.map(({ kept, size, summary: { id, title } }) => {
          const stays = kept ?? because(id)
          return {
            session: id,
            title,
            bytes: size,
            deleted: stays === undefined,
            ...(stays !== undefined && { stays })
          }
        })
      })
    if (!json) yield* answer(listed.join(""))
    const total = sizeText(going.reduce((sum, { size }) => sum + size, 0))
    const what = `${many(going.length, "session")}, ${total}`
    if (json && (dryRun || going.length === 0)) return yield* told(() => "--dry-run")
    if (going.length === 0) {
      yield* answer("No session to delete.\n")
      return yield* dryRun ? Effect.void : freed
    }
    if (dryRun) return yield* answer(`${what} would be deleted. Nothing was deleted: --dry-run\n`)
    if (!(yield* agreed(`Delete ${what} for good?`, yes, "--dry-run"))) return yield* answer("Nothing was deleted.\n")
    const outcomes = yield* Effect.forEach(going, ({ summary: { id } }) =>
      Effect.match(runtime.request(new DeleteSession({ session: id })), {
        onFailure: (error) => [[id, error.message] as const],
        onSuccess: () => []
      })
    )
    const failed = new Map(outcomes.flat())
    if (json) {
      yield* told((id) => failed.get(id))
      return yield* Effect.flatMap(Database, ({ shrink }) => shrink)
    }
    for (const [id, why] of failed)
      yield* answer(`${style.yellow("!")} ${shortSession(id)} stays: ${makeVisible(why)}\n`)
    yield* done(`${many(going.length - failed.size, "session")} deleted; what they have cost and their audit stay`)
    return yield* freed
  }).pipe((self) => managed(self, !yes && !dryRun))
