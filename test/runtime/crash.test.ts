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
import { happenedIn, moments, storeIn, toolsIn } from "../support/doomed.ts"
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

/** The moments that a program which was killed while its sessions stood at them did not come by. */
const unreached = (program: string, ...args: ReadonlyArray<string>) =>
  Effect.async<ReadonlyArray<string>>((resume) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] })
    let said = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text))
    child.once("close", (_, signal) => {
      assert.strictEqual(signal, "SIGKILL")
      resume(Effect.succeed(said.split("\n").slice(0, -1)))
    })
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

const looked = (folder: string, moment: string) =>
  Effect.gen(function* () {
    const { results, text } = yield* revived(folder)
    const happened = happenedIn(folder)
    assert.strictEqual(new Set(happened).size, happened.length, `${moment}: nothing happens twice`)
    for (const call of happened) assert.include(["completed", "unknown"], results.get(call), `${moment}: ${call}`)
    for (const [call, result] of results) {
      if (result === "completed" && call.startsWith("act")) assert.include(happened, call, moment)
    }
    assert.include(text, "Revived")
  })

/** More events than the task has. */
const count = 60

describe("a runtime that is killed at any event of a task", () => {
  it.scopedLive(
    "repeats nothing, loses nothing it has told and closes each call once, before and after the event is stored (R9)",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryDirectory
        const beyond = yield* unreached(yield* bundle, folder, String(count))
        const reached = moments(count).filter(({ name }) => !beyond.includes(name))
        assert.isAbove(reached.length, 40)
        assert.isAbove(beyond.length, 0)
        yield* Effect.forEach(reached, ({ name }) => looked(path.join(folder, name), name), { discard: true })
      })
  )
})
