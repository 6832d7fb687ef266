import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { PassThrough } from "node:stream"
import * as OutputFeed from "../../src/process/OutputFeed.ts"
import { eventually } from "./support.ts"

const feed = Effect.acquireRelease(
  Effect.sync(() => {
    const sources = { stdout: new PassThrough(), stderr: new PassThrough() }
    return { ...sources, feed: OutputFeed.make(sources) }
  }),
  ({ feed }) => Effect.sync(feed.destroy)
)

const all = (output: OutputFeed.OutputFeed["output"]) =>
  Stream.runFold(output, { stdout: "", stderr: "" }, (texts, { channel, text }) => ({
    ...texts,
    [channel]: texts[channel] + text
  }))

const pieces = fc.tuple(fc.string({ unit: "binary", maxLength: 60 }), fc.array(fc.nat(400), { maxLength: 12 }))

describe("OutputFeed", () => {
  it.effect.prop("decodes each channel as a whole, wherever its bytes are split (S3)", [pieces, pieces], ([out, err]) =>
    Effect.gen(function* () {
      const { stdout, stderr, feed: output } = yield* feed
      for (const [stream, [text, cuts]] of [[stdout, out] as const, [stderr, err] as const]) {
        const bytes = Buffer.from(text)
        const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b)
        for (const [index, from] of [0, ...places].entries()) stream.write(bytes.subarray(from, places[index]))
        stream.end()
      }
      const decoded = yield* all(output.output)
      assert.deepStrictEqual(decoded, {
        stdout: Buffer.from(out[0]).toString(),
        stderr: Buffer.from(err[0]).toString()
      })
    }).pipe(Effect.scoped)
  )

  it.scoped("shows a code point that is never finished as one replacement character (S3)", () =>
    Effect.gen(function* () {
      const { stdout, stderr, feed: output } = yield* feed
      stdout.write(Buffer.from([0x61, 0xe2, 0x82]))
      stdout.end()
      stderr.end()
      assert.deepStrictEqual(yield* all(output.output), { stdout: "a\ufffd", stderr: "" })
    })
  )

  it.scopedLive("reads what an exited child has left without waiting for the consumer (S3)", () =>
    Effect.gen(function* () {
      const { stdout, feed: output } = yield* feed
      for (let block = 0; block < 20; block++) stdout.write("x".repeat(16_384))
      yield* eventually(() => stdout.isPaused())
      output.exited()
      yield* eventually(() => stdout.readableLength + stdout.writableLength === 0)
      output.cut()
      assert.strictEqual((yield* all(output.output)).stdout.length, 20 * 16_384)
    })
  )

  it.scoped("gives what it has read when it is cut, and nothing after (S3)", () =>
    Effect.gen(function* () {
      const { stdout, feed: output } = yield* feed
      stdout.write("before")
      let seen = ""
      yield* Stream.runForEach(output.output, ({ text }) =>
        Effect.sync(() => {
          seen += text
          output.cut()
          stdout.write("after")
        })
      )
      assert.strictEqual(seen, "before")
    })
  )

  it.scopedLive("is settled once a turn of the event loop brings nothing, however long each takes (R15)", () =>
    Effect.gen(function* () {
      const { stdout, stderr, feed: output } = yield* feed
      stderr.end()
      let blocks = 0
      const later = (): void => {
        if (++blocks > 20) return
        stdout.write("x".repeat(100))
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 15)
        setImmediate(later)
      }
      later()
      output.exited()
      yield* output.settled
      output.cut()
      assert.strictEqual((yield* all(output.output)).stdout.length, 2000)
      assert.deepStrictEqual([output.truncated("stdout"), output.truncated("stderr")], [true, false])
    })
  )
})
