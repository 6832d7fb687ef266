import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { build } from "esbuild"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import * as FileReader from "../../../src/policy/path/FileReader.ts"
import * as FileWriter from "../../../src/policy/path/FileWriter.ts"
import { judge } from "../../../src/policy/path/PathPolicy.ts"
import { walk } from "../../../src/policy/path/Walk.ts"
import { descriptors, Scratch, secret } from "./scratch.ts"

// A writer that finds the directory gone may make a new one: the swapper takes that back.
const swapping = `
  const { renameSync, rmSync, symlinkSync } = require("node:fs")
  const { parentPort, workerData: { name, aside, target, count } } = require("node:worker_threads")
  const swaps = new Int32Array(count)
  const attempt = (step) => { try { step(); return true } catch { return false } }
  let seed = 1
  const dwell = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    const until = process.hrtime.bigint() + BigInt(seed % 400000)
    while (process.hrtime.bigint() < until);
  }
  parentPort.postMessage("ready")
  for (;;) {
    attempt(() => renameSync(name, aside))
    if (attempt(() => symlinkSync(target, name))) Atomics.add(swaps, 0, 1)
    dwell()
    do attempt(() => rmSync(name, { recursive: true, force: true }))
    while (!attempt(() => renameSync(aside, name)))
    dwell()
  }
`

/** Another thread that replaces `name` by a symlink to `target` and back, at most 0.4 ms apart, until the scope ends. */
const swapper = (name: string, target: string) =>
  Effect.acquireRelease(
    Effect.async<{ readonly worker: Worker; readonly swaps: Int32Array }>((resume) => {
      const count = new SharedArrayBuffer(4)
      const worker = new Worker(swapping, { eval: true, workerData: { name, aside: `${name}.aside`, target, count } })
      worker.once("message", () => resume(Effect.succeed({ worker, swaps: new Int32Array(count) })))
    }),
    ({ worker }) => Effect.promise(() => worker.terminate())
  ).pipe(
    Effect.map(
      ({ swaps }) =>
        () =>
          Atomics.load(swaps, 0)
    )
  )

const rounds = 1000

describe("races", () => {
  it.scopedLive("writes nothing outside while a directory is being swapped for a symlink (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      const context = scratch.context()
      scratch.build([["dir", "/w/d"]])
      const before = descriptors()
      const outcomes = { written: 0, refused: 0 }
      const swaps = yield* Effect.scoped(
        Effect.gen(function* () {
          const count = yield* swapper(scratch.at("/w/d"), scratch.at("/out"))
          for (let round = 0; round < rounds; round++) {
            const attempt = judge(round % 2 === 0 ? "d/o.txt" : "d/new/x", "write", context)
            const result = yield* Effect.either(
              Effect.flatMap(attempt, (path) => FileWriter.write(path, new Uint8Array(10)))
            )
            outcomes[result._tag === "Right" ? "written" : "refused"]++
          }
          return count()
        })
      )
      assert.deepStrictEqual(fs.readdirSync(scratch.at("/out")), ["o.txt"])
      assert.strictEqual(scratch.text("/out/o.txt"), "content of /out/o.txt\n")
      assert.isAbove(outcomes.written, 0)
      assert.isAbove(outcomes.refused, 0)
      assert.isAbove(swaps, 0)
      assert.isAtMost(descriptors(), before)
    })
  )

  for (const [what, name, target] of [
    ["its directory", "/w/d", "/home/u/.ssh"],
    ["it", "/w/d/notes", "/home/u/.ssh/notes"]
  ] as const) {
    it.scopedLive(`reads no key through a file's name while ${what} is being swapped for a symlink (S2)`, () =>
      Effect.gen(function* () {
        const scratch = yield* Scratch.fixture
        scratch.build([
          ["text", "/w/d/notes", "public"],
          ["text", "/home/u/.ssh/notes", secret]
        ])
        const texts = new Set<string>()
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* swapper(scratch.at(name), scratch.at(target))
            for (let round = 0; round < rounds; round++) {
              const read = Effect.flatMap(judge("d/notes", "read", scratch.context()), (path) => FileReader.read(path))
              texts.add(
                yield* Effect.match(read, {
                  onFailure: ({ _tag }) => _tag,
                  onSuccess: ({ bytes }) => Buffer.from(bytes).toString()
                })
              )
            }
          })
        )
        assert.isTrue(texts.has("public") && texts.has("PathRefused"))
        assert.isFalse(texts.has(secret))
      })
    )
  }

  it.scopedLive("walks nothing outside while a directory is being swapped for a symlink (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      scratch.build([["text", "/w/d/inside", ""]])
      const names = new Set<string>()
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* swapper(scratch.at("/w/d"), scratch.at("/out"))
          for (let round = 0; round < rounds / 4; round++) {
            const found = yield* Effect.flatMap(judge(".", "list", scratch.context()), (top) =>
              Stream.runCollect(walk(top))
            )
            for (const entry of found) names.add(entry.relative)
          }
        })
      )
      assert.isTrue(names.has("d/inside"))
      assert.deepStrictEqual(
        [...names].filter((name) => name.endsWith("o.txt")),
        []
      )
    })
  )

  it.scopedLive("a process killed half-way through a write leaves the old content or the new (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      const source = fileURLToPath(new URL("killed-writer.ts", import.meta.url))
      const script = `${scratch.prefix}/writer.mjs`
      yield* Effect.promise(() =>
        build({
          entryPoints: [source],
          outfile: script,
          bundle: true,
          platform: "node",
          format: "esm",
          logLevel: "error"
        })
      )
      const size = 4 * 1024 * 1024
      fs.writeFileSync(scratch.at("/w/src/x.ts"), "a".repeat(size))
      for (let round = 1; round <= 6; round++) {
        yield* Effect.async<void>((resume) => {
          const child = spawn(process.execPath, [script, scratch.prefix, String(size)], {
            stdio: ["ignore", "pipe", "inherit"]
          })
          let begun = 0
          child.stdout.on("data", (chunk: Buffer) => {
            begun += chunk.length
            if (begun >= round) child.kill("SIGKILL")
          })
          child.once("close", () => resume(Effect.void))
          return Effect.sync(() => child.kill("SIGKILL"))
        })
        const text = scratch.text("/w/src/x.ts")
        assert.strictEqual(text.length, size)
        assert.strictEqual(text, (text[0] ?? "").repeat(size))
      }
    })
  )
})
