import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { asking, models } from "../host/Directed.ts"
import { served } from "./served.ts"

const write = asking([["write_file", { path: "a.txt", content: "hello" }]])

describe("serving", () => {
  it.scopedLive("runs a call that was approved over HTTP, and streams its session from the beginning (X4)", () =>
    Effect.gen(function* () {
      const { ask, directory, frames } = yield* served({ models })
      const made = yield* ask("/v1/sessions", { body: { id: "s1" } })
      assert.strictEqual(made.status, 201)
      const reading = yield* Effect.fork(
        Stream.runCollect(
          Stream.takeUntil(frames("/v1/sessions/s1/events"), ({ data }) => data.event?._tag === "TaskCompleted")
        )
      )
      const submitted = yield* ask("/v1/sessions/s1/commands", {
        body: { _tag: "SubmitPrompt", task: "t1", prompt: write }
      })
      assert.strictEqual(submitted.status, 202)
      const waiting = yield* Effect.repeat(ask("/v1/approvals"), { until: ({ json }) => json.approvals.length > 0 })
      const [{ request }] = waiting.json.approvals
      assert.strictEqual(request.tool, "write_file")
      const wrong = yield* ask(`/v1/approvals/${request.id}`, { body: { decision: "approve", digest: "0".repeat(64) } })
      assert.strictEqual(wrong.status, 409)
      const answer = { decision: "approve", digest: request.digest }
      const right = yield* ask(`/v1/approvals/${request.id}`, { body: answer })
      assert.strictEqual(right.status, 200)
      const late = yield* ask(`/v1/approvals/${request.id}`, { body: answer })
      assert.strictEqual(late.status, 410)
      const never = yield* ask(`/v1/approvals/approval_none`, { body: answer })
      assert.strictEqual(never.status, 404)
      const seen = [...(yield* Fiber.join(reading))]
      assert.strictEqual(seen[0]?.event, "snapshot")
      const durable = seen.filter(({ event }) => event === "message")
      assert.deepStrictEqual(
        durable.map(({ id }) => Number(id)),
        durable.map((_, index) => index + 1)
      )
      assert.isTrue(seen.every(({ event, id }) => (event === "message") === (id !== undefined)))
      assert.strictEqual(fs.readFileSync(path.join(directory, "a.txt"), "utf8"), "hello")
      const audit = durable.find(({ data }) => data.event._tag === "ApprovalResolved")
      assert.strictEqual(audit?.data.event.by, "user local")
      const again = yield* ask("/v1/sessions/s1/commands", {
        body: { _tag: "SubmitPrompt", task: "t1", prompt: write }
      })
      assert.deepStrictEqual(again.json, submitted.json)
    })
  )
})
