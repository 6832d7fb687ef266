import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, Stream } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { AnswerBox } from "../../src/approval/AnswerBox.ts"
import { Database } from "../../src/database/Database.ts"
import { asking, models } from "../host/Directed.ts"
import { served } from "./served.ts"

describe("managing sessions over HTTP", () => {
  it.scopedLive("names, copies, rewinds and clears one, and deletes what nothing waits in (X4)", () =>
    Effect.gen(function* () {
      const { ask, directory, frames } = yield* served({ models })
      const command = (body: object, session = "s1") => ask(`/v1/sessions/${session}/commands`, { body })
      const file = path.join(directory, "a.txt")
      const write = asking([["write_file", { path: "a.txt", content: "new" }]])
      const waits = () =>
        Effect.map(
          Effect.repeat(ask("/v1/approvals"), { until: ({ json }) => json.approvals.length > 0 }),
          ({ json }) => json.approvals[0].request as { readonly id: string; readonly digest: string }
        )
      fs.writeFileSync(file, "old")
      yield* ask("/v1/sessions", { body: { id: "s1" } })
      const queued = yield* command({ _tag: "SubmitPrompt", task: "t1", prompt: write })
      const { digest, id } = yield* waits()
      const early = yield* ask("/v1/sessions/s1", { method: "DELETE" })
      assert.strictEqual(early.status, 409)
      assert.strictEqual(early.json.error, "SessionWaits")
      yield* ask(`/v1/approvals/${id}`, { body: { digest, decision: "approve" } })
      yield* Stream.runDrain(
        Stream.takeUntil(frames("/v1/sessions/s1/events"), ({ data }) => data.event?._tag === "TaskCompleted")
      )
      assert.strictEqual(fs.readFileSync(file, "utf8"), "new")
      const to = queued.json.seq as number

      const renamed = yield* command({ _tag: "RenameSession", title: "A name" })
      assert.strictEqual(renamed.json.answer.event._tag, "SessionRenamed")
      assert.strictEqual((yield* ask("/v1/sessions/s1")).json.title, "A name")
      assert.strictEqual((yield* command({ _tag: "RenameSession", title: " " })).status, 400)

      assert.strictEqual((yield* command({ _tag: "ForkSession", fork: "s2" })).json.answer.event._tag, "SessionForked")
      for (const fork of ["s1", "s2"]) {
        const { json, status } = yield* command({ _tag: "ForkSession", fork })
        assert.deepStrictEqual([status, json.message], [422, `Session ${fork} exists already; choose another id.`])
      }
      assert.isAbove((yield* ask("/v1/sessions/s2")).json.head, to)

      const again = { _tag: "RenameSession", title: "Another", commandId: "once" }
      assert.strictEqual((yield* command(again)).status, 202)
      const ofAnother = yield* command(again, "s2")
      assert.deepStrictEqual([ofAnother.status, ofAnother.json.error], [409, "CommandIdTaken"])
      assert.strictEqual((yield* ask("/v1/sessions/s2")).json.title, "A name (fork)")

      const preview = yield* command({ _tag: "PreviewRewind", to })
      assert.strictEqual(preview.json.answer.event.files.length, 1)
      const rewind = { _tag: "RewindSession", to, digest: preview.json.answer.event.digest }
      assert.strictEqual((yield* command(rewind)).json.answer.event._tag, "SessionRewound")
      assert.strictEqual(fs.readFileSync(file, "utf8"), "old")
      assert.strictEqual((yield* command({ _tag: "ClearSession" }, "s2")).json.answer.event._tag, "SessionCleared")

      assert.strictEqual((yield* ask("/v1/sessions/s1", { method: "DELETE" })).status, 204)
      assert.strictEqual((yield* ask("/v1/sessions/s1")).status, 404)
      assert.strictEqual((yield* ask("/v1/sessions/s1", { method: "DELETE" })).status, 404)
      assert.strictEqual((yield* ask("/v1/sessions/s2")).status, 200)
    })
  )

  it.scopedLive("ends the streams of one that is deleted, by this server or by another process (X4)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models })
      for (const id of ["here", "elsewhere"]) {
        // Made by a process that has ended since: it is open nowhere.
        const base = path.dirname(server.directory)
        yield* Effect.scoped(
          Effect.flatMap(served({ models, base }), ({ ask }) => ask("/v1/sessions", { body: { id } }))
        )
        const opened = yield* Deferred.make<void>()
        const streaming = yield* Effect.fork(
          Stream.runForEach(server.frames(`/v1/sessions/${id}/events`), () => Deferred.succeed(opened, undefined))
        )
        yield* Deferred.await(opened)
        const deleting = id === "here" ? server : yield* served({ models, base })
        assert.strictEqual((yield* deleting.ask(`/v1/sessions/${id}`, { method: "DELETE" })).status, 204)
        assert.isTrue(Option.isSome(yield* Effect.timeoutOption(Fiber.join(streaming), "5 seconds")), id)
      }
    })
  )

  it.scopedLive("are told of a full queue and of who has a session open, and change nothing then (X4)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models })
      const submit = (ask: typeof server.ask, task: string) =>
        ask("/v1/sessions/s1/commands", {
          body: { _tag: "SubmitPrompt", task, prompt: asking([["write_file", { path: "a.txt", content: "x" }]]) }
        })
      yield* server.ask("/v1/sessions", { body: { id: "s1" } })
      const answers = yield* Effect.forEach(
        Array.from({ length: 70 }, (_, index) => `t${index}`),
        (task) => submit(server.ask, task)
      )
      const full = answers.filter(({ status }) => status === 503)
      assert.isNotEmpty(full)
      assert.isTrue(answers.every(({ status }) => status === 202 || status === 503))
      assert.isTrue(full.every(({ headers, json }) => headers["retry-after"] === "1" && json.error === "TooManyTasks"))
      const { tasks } = (yield* server.ask("/v1/sessions/s1")).json
      assert.strictEqual(tasks.length, answers.length - full.length)
      const other = yield* served({ models, base: path.dirname(server.directory) })
      const busy = yield* submit(other.ask, "elsewhere")
      assert.strictEqual(busy.status, 409)
      assert.strictEqual(busy.json.owner, process.pid)
    })
  )

  it.scopedLive("answers a request of a session that another process has open, once, as its sender (A5, A15)", () =>
    Effect.gen(function* () {
      const first = yield* served({ models })
      const other = yield* served({ models, base: path.dirname(first.directory) })
      const prompt = asking([["write_file", { path: "a.txt", content: "x" }]])
      yield* first.ask("/v1/sessions", { body: { id: "s1" } })
      yield* first.ask("/v1/sessions/s1/commands", { body: { _tag: "SubmitPrompt", task: "t1", prompt } })
      const { json } = yield* Effect.repeat(other.ask("/v1/approvals"), {
        until: ({ json }) => json.approvals.length > 0
      })
      const { digest, id } = json.approvals[0].request
      const answer = (body: object) => other.ask(`/v1/approvals/${id}`, { body })
      const wrong = yield* answer({ digest: "0".repeat(64), decision: "approve" })
      assert.deepStrictEqual([wrong.status, wrong.json.error], [409, "ApprovalMismatch"])
      const both = yield* Effect.all(
        [answer({ digest, decision: "approve" }), answer({ digest, decision: "approve" })],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(both.map(({ status }) => status).sort(), [200, 410])
      const taken = both.find(({ status }) => status === 200)?.json
      assert.deepStrictEqual([taken.answer.event._tag, taken.answer.event.by], ["ApprovalResolved", "user local"])
      yield* Effect.repeat(first.ask("/v1/sessions/s1"), { until: ({ json }) => json.tasks.length === 0 })
      assert.strictEqual(fs.readFileSync(path.join(first.directory, "a.txt"), "utf8"), "x")
      assert.strictEqual((yield* answer({ digest, decision: "deny" })).status, 410)
    })
  )

  it.scopedLive(
    "asks nobody again whose session is closed and whose answer is given, until it is refused (A5, X4)",
    () =>
      Effect.gen(function* () {
        const server = yield* served({ models })
        const base = path.dirname(server.directory)
        const prompt = asking([["write_file", { path: "a.txt", content: "x" }]])
        const listed = Effect.map(server.ask("/v1/approvals"), ({ json }) => json.approvals)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const first = yield* served({ models, base })
            yield* first.ask("/v1/sessions", { body: { id: "s1" } })
            yield* first.ask("/v1/sessions/s1/commands", { body: { _tag: "SubmitPrompt", task: "t1", prompt } })
            yield* Effect.repeat(listed, { until: (approvals) => approvals.length > 0 })
          })
        )
        const [{ answered, request }] = yield* listed
        assert.isUndefined(answered)
        const { digest, id } = request
        yield* Effect.gen(function* () {
          const { box } = yield* AnswerBox
          const yes = { decision: "approve", scope: "once", by: "ann" } as const
          yield* box!.put({ approvalId: id, sessionId: "s1", digest, ...yes })
          assert.deepStrictEqual((yield* listed)[0].answered, { decision: "approve", by: "ann" })
          const { json } = yield* server.ask("/v1/sessions/s1")
          assert.deepStrictEqual(json.approvals[0].answered, { decision: "approve", by: "ann" })
          yield* box!.settle(id, { taken: false, message: "not the digest" })
          assert.isUndefined((yield* listed)[0].answered)
        }).pipe(
          Effect.provide(AnswerBox.layerSql.pipe(Layer.provide(Database.layer(path.join(base, "state/tollgate.db")))))
        )
      })
  )

  it.scopedLive(
    "edits, widens and ends there what another process asks about, and passes no secret on (A5, A14, A15)",
    () =>
      Effect.gen(function* () {
        const first = yield* served({ models })
        const other = yield* served({ models, base: path.dirname(first.directory) })
        const begin = (session: string, calls: ReadonlyArray<readonly [string, object]>) =>
          Effect.gen(function* () {
            const made = yield* first.ask("/v1/sessions", { body: { id: session } })
            const body = { _tag: "SubmitPrompt", task: "t1", prompt: asking(calls) }
            const taken = yield* first.ask(`/v1/sessions/${session}/commands`, { body })
            assert.deepStrictEqual([made.status, taken.status], [201, 202], JSON.stringify([made.json, taken.json]))
          })
        const waits = (name: string) =>
          Effect.map(
            Effect.repeat(other.ask("/v1/approvals"), {
              until: ({ json }) => json.approvals.length === 1 && JSON.stringify(json.approvals).includes(name)
            }),
            ({ json }) =>
              json.approvals[0].request as {
                readonly id: string
                readonly digest: string
                readonly wider?: { readonly kind: string }
              }
          )
        const answer = ({ digest, id }: { readonly id: string; readonly digest: string }, body: object) =>
          other.ask(`/v1/approvals/${id}`, { body: { digest, ...body } })
        const idle = (session: string) =>
          Effect.repeat(first.ask(`/v1/sessions/${session}`), { until: ({ json }) => json.tasks.length === 0 })
        const file = (name: string) => path.join(first.directory, name)
        const call = (name: string) => ["write_file", { path: name, content: "x" }] as const

        yield* begin("s1", [call("a.txt"), call("c.txt"), call("d.txt")])
        const asked = yield* waits("a.txt")
        const secret = { path: "b.txt", content: `token ghp_${"a1B2".repeat(9)}` }
        const kept = yield* answer(asked, { decision: "approve", parameters: secret })
        assert.deepStrictEqual([kept.status, kept.json.error, kept.json.owner], [409, "SessionBusy", process.pid])
        assert.include(kept.json.message, "Edit them there")
        const edited = yield* answer(asked, { decision: "approve", parameters: { path: "b.txt", content: "y" } })
        assert.deepStrictEqual([edited.status, edited.json.answer.event.outcome], [200, "withdrawn"])
        const anew = yield* waits("b.txt")
        assert.notStrictEqual(anew.digest, asked.digest)
        assert.isFalse(fs.existsSync(file("a.txt")))
        const granted = yield* answer(anew, { decision: "approve" })
        assert.strictEqual(granted.status, 200, JSON.stringify(granted.json))

        const wide = yield* waits("c.txt")
        const widened = yield* answer(wide, { decision: "approve", scope: "session", wider: wide.wider?.kind })
        assert.deepStrictEqual([widened.status, widened.json.answer.event.scope], [200, "session"])
        yield* idle("s1")
        assert.isFalse(fs.existsSync(file("a.txt")))
        assert.deepStrictEqual(
          ["b.txt", "c.txt", "d.txt"].map((name) => fs.readFileSync(file(name), "utf8")),
          ["y", "x", "x"]
        )

        yield* begin("s2", [call("e.txt"), call("f.txt")])
        const stopped = yield* answer(yield* waits("e.txt"), { decision: "deny", stop: true, reason: "not at all" })
        assert.strictEqual(stopped.status, 200)
        yield* idle("s2")
        assert.isFalse(fs.existsSync(file("f.txt")))

        yield* begin("s3", [call("g.txt")])
        assert.strictEqual((yield* answer(yield* waits("g.txt"), { decision: "approve", scope: "always" })).status, 200)
        yield* idle("s3")
        assert.strictEqual((yield* other.ask("/v1/rules")).json.rules.length, 1)
      })
  )
})
