import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { modelView } from "../../src/conversation/ModelView.ts"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as Testing from "../../src/testing.ts"
import { happenedIn, storeIn, toolsIn } from "../support/doomed.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

const root = process.cwd()

/** The program as one file that finds the packages of the repository. */
const bundle = Effect.acquireRelease(
  Effect.promise(() => {
    const folder = path.join(root, "node_modules/.cache/tollgate")
    fs.mkdirSync(folder, { recursive: true })
    const outfile = path.join(folder, `doomed-${process.pid}.cjs`)
    const entryPoints = [path.join(root, "test/fixtures/programs/doomed.ts")]
    return build({
      entryPoints,
      outfile,
      bundle: true,
      platform: "node",
      format: "cjs",
      external: ["better-sqlite3", "@photostructure/sqlite"],
      logLevel: "error"
    }).then(() => outfile)
  }),
  (outfile) => Effect.sync(() => fs.rmSync(outfile, { force: true }))
)

/** How the program ended: by the signal, or by itself because its task has no such event. */
const ended = (program: string, ...args: ReadonlyArray<string>) =>
  Effect.async<"killed" | "by itself" | "crashed">((resume) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "inherit"] })
    child.once("exit", (code, signal) =>
      resume(Effect.succeed(signal === "SIGKILL" ? "killed" : code === 0 ? "by itself" : "crashed"))
    )
  })

const outcomes = {
  ToolCallCompleted: "completed",
  ToolCallFailed: "failed",
  ToolCallInterrupted: "interrupted",
  ToolCallOutcomeUnknown: "unknown"
} as const

/** The first prompt of a log. */
const began = (recorded: ReadonlyArray<Envelope>) =>
  recorded.map(({ event }) => event).find((event) => event._tag === "TaskStarted")?.message?.message.content

/** What another process finds and does after the death of the first. */
const revived = (folder: string) =>
  Effect.gen(function* () {
    const session = yield* Testing.session("doomed")
    yield* session.run("go on")
    const recorded = yield* session.recorded
    const results = recorded.flatMap(({ event }) =>
      event._tag in outcomes && "callId" in event
        ? [[event.callId, outcomes[event._tag as keyof typeof outcomes]] as const]
        : []
    )
    assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
    const messages = yield* (yield* SessionStore).messages("doomed", 100)
    const compacted = recorded.some(({ event }) => event._tag === "SessionCompacted")
    const first = modelView(messages)[0]?.message.content
    assert.strictEqual(first, compacted ? "Summary of the conversation so far:\nWhat was done" : began(recorded))
    return { results: new Map(results), text: JSON.stringify(messages.at(-1)) }
  }).pipe(
    Effect.provide(
      Testing.layer({
        model: [{ repeat: true, steps: [{ say: "Revived" }] }],
        tools: toolsIn(folder),
        store: storeIn(folder),
        randomIds: true,
        decide: () => ({ decision: "deny" })
      })
    )
  )

const at = (program: string, seq: number, when: "before" | "after") =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      const end = yield* ended(program, folder, String(seq), when)
      assert.notStrictEqual(end, "crashed", `${when} ${seq}`)
      if (end === "by itself") return false
      const { results, text } = yield* revived(folder)
      const happened = happenedIn(folder)
      assert.strictEqual(new Set(happened).size, happened.length, `${when} ${seq}: nothing happens twice`)
      for (const call of happened)
        assert.include(["completed", "unknown"], results.get(call), `${when} ${seq}: ${call}`)
      for (const [call, result] of results) {
        if (result === "completed" && call.startsWith("act")) assert.include(happened, call, `${when} ${seq}`)
      }
      assert.include(text, "Revived")
      return true
    })
  )

describe("a runtime that is killed at any event of a task", () => {
  it.scopedLive(
    "repeats nothing, loses nothing it has told and closes each call once, before and after the event is stored (R9)",
    () =>
      Effect.gen(function* () {
        const program = yield* bundle
        const both = (seq: number) =>
          Effect.all([at(program, seq, "before"), at(program, seq, "after")], { concurrency: 2 })
        let seq = 1
        while ((yield* both(seq)).every(Boolean)) seq++
        assert.isAbove(seq, 20)
      })
  )
})
