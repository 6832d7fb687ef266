import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Fiber, Layer, Logger, Queue, Schedule } from "effect"
import * as path from "node:path"
import { ApprovalMismatch } from "../../src/approval/ApprovalError.ts"
import { AnswerBox, takenFrom, type SentAnswer } from "../../src/approval/AnswerBox.ts"
import { Database } from "../../src/database/Database.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

const answer = (digest: string): SentAnswer => ({
  approvalId: "a1",
  sessionId: "s1",
  digest,
  decision: "approve",
  scope: "once",
  by: "ann"
})

/** A box in a file of its own, and what is warned of. */
const opened = Effect.gen(function* () {
  const file = path.join(yield* temporaryDirectory, "tollgate.db")
  const warnings = yield* Queue.unbounded<string>()
  const logger = Logger.make<unknown, void>(({ message }) => void Queue.unsafeOffer(warnings, JSON.stringify(message)))
  const layer = Layer.merge(
    Layer.provideMerge(AnswerBox.layerSql, Database.layer(file)),
    Logger.replace(Logger.defaultLogger, logger)
  )
  return { context: yield* Layer.build(layer), warned: Queue.take(warnings), warnings }
})
const run = (statement: string) =>
  Effect.flatMap(Database, ({ write }) => write((connection) => connection.executeRaw(statement, [])))

describe("an answer from elsewhere", () => {
  it.scopedLive("is taken also where the box could not be read for a while, which is told once (A5, K3)", () =>
    Effect.gen(function* () {
      const { context, warned, warnings } = yield* opened
      yield* Effect.gen(function* () {
        const { box } = yield* AnswerBox
        yield* run("ALTER TABLE approval_answers RENAME TO away")
        const waiting = yield* Effect.fork(box!.next("a1"))
        assert.include(yield* warned, "cannot be read now")
        yield* run("ALTER TABLE away RENAME TO approval_answers")
        yield* box!.put(answer("d1"))
        assert.deepStrictEqual(yield* Fiber.join(waiting), answer("d1"))
        assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Queue.takeAll(warnings)), [])
      }).pipe(Effect.provide(context))
    })
  )

  it.scopedLive(
    "is followed by another where it is refused, also where that cannot be written for a while (A5, K3)",
    () =>
      Effect.gen(function* () {
        const { context, warned } = yield* opened
        yield* Effect.gen(function* () {
          const { box } = yield* AnswerBox
          yield* run(
            "CREATE TRIGGER stuck BEFORE UPDATE OF outcome ON approval_answers BEGIN SELECT RAISE(ABORT, 'stuck'); END"
          )
          const approved = yield* Deferred.make<string>()
          yield* Effect.forkScoped(
            takenFrom(box, (decision) =>
              decision.digest === "right"
                ? Effect.asVoid(Deferred.succeed(approved, decision.digest))
                : new ApprovalMismatch({ approvalId: "a1", what: "digest" })
            )("a1")
          )
          yield* box!.put(answer("wrong"))
          assert.include(yield* warned, "stuck")
          yield* run("DROP TRIGGER stuck")
          // Until the refusal is written, the first answer stays.
          yield* Effect.retry(box!.put(answer("right")), Schedule.spaced("20 millis"))
          assert.strictEqual(yield* Deferred.await(approved), "right")
        }).pipe(Effect.provide(context))
      })
  )
})
