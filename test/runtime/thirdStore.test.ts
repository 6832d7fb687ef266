import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import {
  DatabaseFailed,
  Envelope,
  type OpenOptions,
  Projection,
  Selection,
  SessionBusy,
  SessionDriver,
  SessionFenced,
  SessionNotFound,
  SessionStore
} from "tollgate"
import * as Testing from "tollgate/testing"
import { contract } from "../support/storeContract.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

/** One file for each session: a line for each owner, and for each batch, which is there as a whole or not at all. */
const driver = (folder: string): SessionDriver.SessionDriver => {
  const held = new Map<string, number>()
  const fileOf = (session: string) => path.join(folder, `${encodeURIComponent(session)}.jsonl`)
  const attempt = <A>(session: string, use: () => A) =>
    Effect.try({
      try: use,
      catch: (error) => new DatabaseFailed({ file: fileOf(session), code: "io", reason: String(error) })
    })
  const add = (session: string, line: unknown) =>
    attempt(session, () => fs.appendFileSync(fileOf(session), `${JSON.stringify(line)}\n`, { flush: true }))
  const load = (session: string) =>
    attempt(session, () => {
      if (!fs.existsSync(fileOf(session))) return undefined
      const [first = "", ...lines] = fs.readFileSync(fileOf(session), "utf8").split("\n").slice(0, -1)
      const { time, ...of } = JSON.parse(first) as NonNullable<OpenOptions["create"]>
      const entries = lines.map((line) => JSON.parse(line) as number | ReadonlyArray<unknown>)
      const events = entries.flatMap((entry) =>
        typeof entry === "number" ? [] : entry.map((one) => Either.getOrThrow(Envelope.decode(one)))
      )
      const projection = events.reduce(Projection.step, Projection.empty(session, of, time))
      return { epoch: entries.findLast((entry) => typeof entry === "number") ?? 0, events, projection }
    })
  const get = (session: string) =>
    Effect.filterOrFail(
      load(session),
      (kept) => kept !== undefined,
      () => new SessionNotFound({ session })
    )
  return {
    open: ({ create, session }) =>
      Effect.acquireRelease(
        Effect.gen(function* () {
          if (held.has(session)) return yield* new SessionBusy({ session, pid: process.pid })
          const before = yield* load(session)
          if (before === undefined && create === undefined) return yield* new SessionNotFound({ session })
          if (before === undefined) yield* add(session, create)
          const epoch = (before?.epoch ?? 0) + 1
          yield* add(session, epoch)
          held.set(session, epoch)
          const { head, profile, project } = (yield* get(session)).projection.summary
          return { session, epoch, head, created: head === 0, project, profile }
        }),
        ({ epoch }) => Effect.sync(() => held.get(session) === epoch && held.delete(session))
      ),
    append: ({ epoch, session }, events) =>
      load(session).pipe(
        Effect.filterOrFail(
          (kept) => kept?.epoch === epoch,
          () => new SessionFenced({ session, epoch })
        ),
        Effect.zipRight(add(session, events))
      ),
    delete: ({ epoch, session }) =>
      load(session).pipe(
        Effect.filterOrFail(
          (kept) => kept?.epoch === epoch,
          () => new SessionFenced({ session, epoch })
        ),
        Effect.zipRight(attempt(session, () => fs.rmSync(fileOf(session))))
      ),
    size: (session) => attempt(session, () => (fs.existsSync(fileOf(session)) ? fs.statSync(fileOf(session)).size : 0)),
    select: (session, which) => Effect.map(load(session), (kept) => Selection.pick(kept?.events ?? [], which)),
    get: (session) => Effect.map(get(session), ({ projection }) => projection),
    list: (filter) =>
      attempt("", () => fs.readdirSync(folder).map((file) => decodeURIComponent(file.slice(0, -".jsonl".length)))).pipe(
        Effect.flatMap((sessions) => Effect.forEach(sessions, load)),
        Effect.map((found) =>
          Selection.pickSessions(
            found.flatMap((kept) => kept?.projection ?? []),
            filter
          )
        )
      )
  }
}

const store = (folder: string) => Layer.sync(SessionStore, () => SessionDriver.toStore(driver(folder)))

describe("a store of somebody else, a file of lines for each session", () => {
  contract("JSONL", Effect.map(temporaryDirectory, store))
  it.scopedLive("keeps a session from one runtime to the next (R9)", () =>
    Effect.gen(function* () {
      const layer = store(yield* temporaryDirectory)
      const prompt = (text: string) =>
        Effect.flatMap(Testing.session("s"), (session) => session.run(text, text)).pipe(
          Effect.scoped,
          Effect.provide(Testing.layer({ model: ["Hello", "Again"], store: layer, randomIds: true }))
        )
      yield* prompt("one")
      yield* prompt("two")
      const kept = yield* Effect.provide(
        Effect.flatMap(SessionStore, (one) => one.messages("s", 9)),
        layer
      )
      assert.deepStrictEqual(
        kept.map(({ message }) => message.role),
        ["user", "assistant", "user", "assistant"]
      )
    })
  )
})
