import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Layer, Option, Stream } from "effect"
import * as path from "node:path"
import { Database } from "../../src/database/Database.ts"
import { type DocumentMessage, type Omissions } from "../../src/export/Document.ts"
import { exported, type ExportFormat } from "../../src/export/Export.ts"
import { isPlain } from "../../src/export/Rendered.ts"
import * as Import from "../../src/import/Import.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import type { Place } from "../../src/runtime/Envelope.ts"
import type { DurableEvent } from "../../src/runtime/Event.ts"
import { SessionCreated } from "../../src/runtime/RuntimeEvent.ts"
import { redactEvent } from "../../src/runtime/redactEvent.ts"
import { Redactor } from "../../src/redaction/Redactor.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import { MessageRecorded } from "../../src/agent/AgentEvent.ts"
import { withinTime } from "../../src/system/withinTime.ts"
import { makeVisible } from "../../src/text/visible.ts"
import { create, numbered } from "../support/storeContract.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { log, omissions } from "./conversations.ts"

let count = 0

/** Stores a log as the runtime does. */
const store = (events: ReadonlyArray<readonly [DurableEvent, Place]>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sessions = yield* SessionStore
      const redactor = yield* Redactor
      const session = `session_${++count}`
      const lease = yield* sessions.open({ session, create })
      const first = [new SessionCreated({ project: "here", profile: "main" }), {}] as const
      const told = [first, ...events].map(([event, at]) => [redactEvent(event, redactor), at] as const)
      yield* sessions.append(lease, numbered(lease, told))
      return session
    })
  )

const text = (session: string, format: ExportFormat, omitted: Omissions = {}) =>
  Effect.flatMap(exported(session, format, omitted), (pieces) => Stream.mkString(pieces))

/** Pieces of some length, as a file gives them. */
const pieces = (whole: string) => Stream.fromIterable(whole.match(/[^]{1,97}/gu) ?? [])

const imported = (whole: string) =>
  Effect.flatMap(Import.read("a file", pieces(whole)), (drafted) =>
    Import.store(drafted, { project: "there", directory: "there" })
  )

const again = (session: string, format: ExportFormat, omitted: Omissions = {}) =>
  Effect.gen(function* () {
    const before = yield* text(session, format, omitted)
    const copy = yield* imported(before)
    return { before, copy: copy.session, after: yield* text(copy.session, format, omitted) }
  })

/** What a reader of a conversation has of a message. */
const told = (message: DocumentMessage) => ({
  role: message.role,
  content: message.content ?? "",
  worker: message.worker?.length === 1 ? undefined : message.worker,
  reasoning: message.reasoning,
  ...(message.role === "assistant" ? { calls: message.tool_calls ?? [] } : {}),
  ...(message.role === "tool" ? { answers: message.tool_call_id } : {})
})

const messagesOf = (document: string) =>
  (JSON.parse(document) as { readonly messages: ReadonlyArray<DocumentMessage> }).messages.map(told)

describe("an exported session that is imported", () => {
  it.effect.prop(
    "says the same in JSON, byte for byte but for its own id (K2)",
    [log, omissions],
    ([events, omitted]) =>
      Effect.gen(function* () {
        const session = yield* store(events)
        const { after, before, copy } = yield* again(session, "json", omitted)
        assert.strictEqual(after, before.replace(JSON.stringify(session), JSON.stringify(copy)))
        const full = yield* again(session, "json")
        assert.strictEqual(full.after, full.before.replace(JSON.stringify(session), JSON.stringify(full.copy)))
      }).pipe(Effect.provide(MemorySessionStore.layer))
  )

  it.effect.prop(
    "keeps roles, order, texts and calls in Markdown and HTML (K2)",
    [log],
    ([events]) =>
      Effect.gen(function* () {
        const session = yield* store(events)
        const expected = messagesOf(yield* text(session, "json"))
        for (const format of ["markdown", "html"] as const) {
          const written = yield* text(session, format)
          assert.strictEqual(makeVisible(written), written)
          const { session: copy } = yield* imported(written)
          assert.deepStrictEqual(messagesOf(yield* text(copy, "json")), expected, format)
        }
      }).pipe(Effect.provide(MemorySessionStore.layer)),
    { fastCheck: { numRuns: 40 } }
  )

  it.effect("says the same in Markdown with any number of fences in it (K2)", () =>
    Effect.gen(function* () {
      const content = "` ".repeat(200_000)
      const message = { id: "m1", message: { role: "user", content } } as const
      const session = yield* store([[new MessageRecorded({ message }), { worker: ["root"] }]])
      const { copy } = yield* again(session, "markdown")
      assert.deepStrictEqual(
        messagesOf(yield* text(copy, "json")).map((one) => one.content),
        [content]
      )
    }).pipe(Effect.provide(MemorySessionStore.layer))
  )

  it("takes no more time than its length to tell whether a text is words alone (K2)", () => {
    for (const line of ["\r", "\u2028", "\n \u2029"])
      assert.isTrue(Option.isSome(withinTime(4000, () => isPlain(line.repeat(100_000)))), JSON.stringify(line))
  })

  it.scoped("is the same from a database on the disk, of many pages (K2)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "tollgate.db")
      const events = FastCheck.sample(log, { numRuns: 120, seed: 7 })
        .flat()
        .map(([event, place]) => [event, place] as const)
      yield* Effect.gen(function* () {
        const session = yield* store(events)
        const { after, before, copy } = yield* again(session, "json")
        assert.isAbove(before.split("\n").length, 500)
        assert.strictEqual(after, before.replace(JSON.stringify(session), JSON.stringify(copy)))
        const sessions = yield* SessionStore
        const { calls, requests, tasks } = yield* sessions.unfinished(copy)
        assert.deepStrictEqual([calls, requests, tasks], [[], [], []])
      }).pipe(Effect.provide(Layer.provide(SqlSessionStore.layer, Database.layer(file))))
    })
  )
})
