import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option } from "effect"
import * as fs from "node:fs"
import * as net from "node:net"
import { sha256 } from "../../../src/policy/path/Content.ts"
import * as FileReader from "../../../src/policy/path/FileReader.ts"
import * as FileRemover from "../../../src/policy/path/FileRemover.ts"
import * as FileWriter from "../../../src/policy/path/FileWriter.ts"
import type { PathContext } from "../../../src/policy/path/PathContext.ts"
import type { PathOp } from "../../../src/policy/path/PathOp.ts"
import { judge, type JudgedPath } from "../../../src/policy/path/PathPolicy.ts"
import { descriptors, Scratch } from "./scratch.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const modeOf = (file: string): number => fs.statSync(file).mode & 0o7777

/** The judgement of something harmless, put where something else is by the time it is used. */
const judged = <Op extends PathOp>(scratch: Scratch, path: string, op: Op, context: PathContext) =>
  Effect.map(judge("src/x.ts", op, context), (harmless): JudgedPath<Op> => ({ ...harmless, path: scratch.at(path) }))

// The way without descriptors runs here as well; what it cannot promise in a race is not asked of it.
for (const platform of ["linux", "darwin"] as const) {
  const open = Effect.map(Scratch.fixture, (scratch) => ({ scratch, context: scratch.context({ platform }) }))

  describe(`file operations as on ${platform}`, () => {
    it.scopedLive("reads a file with the hash of what it read (S2)", () =>
      Effect.gen(function* () {
        const { context, scratch } = yield* open
        scratch.build([["text", "/w/big", "0123456789".repeat(100_000)]])
        const content = yield* FileReader.read(yield* judge("big", "read", context))
        assert.strictEqual(content.bytes.length, 1_000_000)
        assert.strictEqual(content.sha256, sha256(fs.readFileSync(scratch.at("/w/big"))))
        const part = yield* FileReader.readPart(yield* judge("big", "read", context), 999_995, 100)
        assert.deepStrictEqual(part, { bytes: bytes("56789"), size: 1_000_000 })
        const empty = yield* FileReader.readPart(yield* judge("big", "read", context), 2_000_000, 10)
        assert.strictEqual(empty.bytes.length, 0)
      })
    )

    it.scopedLive("does not read more than it was told to (S2)", () =>
      Effect.gen(function* () {
        const { context, scratch } = yield* open
        scratch.build([["sparse", "/w/huge", 1e12]])
        const failure = yield* Effect.flip(FileReader.read(yield* judge("huge", "read", context)))
        assert.deepInclude(failure, { _tag: "FileTooLarge", size: 1e12, limit: FileReader.defaultLimit })
        const small = yield* judge("src/x.ts", "read", context)
        assert.strictEqual((yield* Effect.flip(FileReader.read(small, { limit: 3 })))._tag, "FileTooLarge")
        assert.strictEqual((yield* FileReader.readPart(yield* judge("huge", "read", context), 5e11, 4)).bytes.length, 4)
      })
    )

    it.scopedLive("names what is missing (S2)", () =>
      Effect.gen(function* () {
        const { context, scratch } = yield* open
        const failure = yield* Effect.flip(FileReader.read(yield* judge("none", "read", context)))
        assert.deepInclude(failure, { _tag: "FileFailure", code: "ENOENT" })
        assert.strictEqual(failure.message, `Could not read ${scratch.at("/w/none")}: it does not exist`)
        const gone = yield* Effect.flip(FileRemover.remove(yield* judge("none", "remove", context)))
        assert.deepInclude(gone, { _tag: "FileFailure", code: "ENOENT", operation: "remove" })
      })
    )

    it.scopedLive("opens no pipe, socket, device, directory or symlink that turns up after the check (S2)", () =>
      Effect.gen(function* () {
        const { context, scratch } = yield* open
        scratch.build([
          ["fifo", "/w/fifo"],
          ["symlink", "/w/link", "/out/o.txt"],
          ["dir", "/w/dir"],
          ["symlink", "/w/away", "/out"],
          ["hardlink", "/w/key", "/home/u/.ssh/id_ed25519"]
        ])
        const server = net.createServer()
        yield* Effect.acquireRelease(
          Effect.async<void>((resume) => void server.listen(scratch.at("/w/socket"), () => resume(Effect.void))),
          () => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
        )
        const outside = scratch.snapshot("/w")
        for (const path of ["/w/fifo", "/w/link", "/w/dir", "/w/socket", "/w/away/o.txt", "/w/key", "/dev/zero"]) {
          const reading = yield* judged(scratch, path, "read", context)
          const read = yield* Effect.flip(FileReader.read(reading))
          assert.include(["PathRefused", "FileFailure"], read._tag, path)
          if (path === "/w/key" || path === "/dev/zero") continue
          const writing = yield* judged(scratch, path, "write", context)
          assert.strictEqual((yield* Effect.flip(FileWriter.write(writing, bytes("new"))))._tag, "PathRefused", path)
          if (path === "/w/link") continue
          const removing = yield* judged(scratch, path, "remove", context)
          assert.strictEqual((yield* Effect.flip(FileRemover.remove(removing)))._tag, "PathRefused", path)
        }
        assert.deepStrictEqual(scratch.snapshot("/w"), outside)
        assert.deepStrictEqual(scratch.leftovers(), [])
      })
    )

    it.scopedLive("creates a file and the parents it needs (S2)", () =>
      Effect.gen(function* () {
        const { context, scratch } = yield* open
        const written = yield* FileWriter.write(yield* judge("src/a/b/c.ts", "write", context), bytes("text"))
        assert.deepStrictEqual(written, {
          change: "created",
          path: scratch.at("/w/src/a/b/c.ts"),
          size: 4,
          previousSize: 0,
          sha256: sha256(bytes("text")),
          otherNames: 0
        })
        assert.strictEqual(scratch.text("/w/src/a/b/c.ts"), "text")
        assert.strictEqual(modeOf(written.path), 0o666 & ~process.umask())
      })
    )

    it.scopedLive("replaces a file and keeps its permissions and owner (S2)", () =>
      Effect.gen(function* () {
        const { context, scratch } = yield* open
        const target = scratch.at("/w/src/x.ts")
        const owned = process.getuid?.() === 0
        if (owned) fs.chownSync(target, 1234, 1234)
        fs.chmodSync(target, 0o4751)
        const previousSize = fs.statSync(target).size
        const written = yield* FileWriter.write(yield* judge("src/x.ts", "write", context), bytes("new"))
        assert.deepInclude(written, { change: "modified", size: 3, previousSize })
        assert.strictEqual(modeOf(target), 0o751)
        if (owned) assert.strictEqual(fs.statSync(target).uid, 1234)
        assert.deepStrictEqual(scratch.leftovers(), [])
      })
    )

    it.scopedLive("changes a file only if it is what the change was made for (S2)", () =>
      Effect.gen(function* () {
        const { context, scratch } = yield* open
        const target = yield* judge("src/x.ts", "write", context)
        const { sha256: base } = yield* FileReader.read(yield* judge("src/x.ts", "read", context))
        fs.writeFileSync(target.path, "changed by someone else")
        const stale = yield* Effect.flip(FileWriter.write(target, bytes("mine"), { base: Option.some(base) }))
        assert.deepInclude(stale, {
          _tag: "StaleFile",
          expected: base,
          actual: sha256(bytes("changed by someone else"))
        })
        const exists = yield* Effect.flip(FileWriter.write(target, bytes("mine"), { base: Option.none() }))
        assert.deepInclude(exists, { _tag: "StaleFile", expected: null })
        const kept = yield* Effect.flip(
          FileRemover.remove(yield* judge("src/x.ts", "remove", context), { base: Option.some(base) })
        )
        assert.strictEqual(kept._tag, "StaleFile")
        assert.strictEqual(scratch.text("/w/src/x.ts"), "changed by someone else")

        const now = Option.some(sha256(bytes("changed by someone else")))
        const written = yield* FileWriter.write(target, bytes("mine"), { base: now })
        yield* FileWriter.write(target, bytes("mine again"), { base: Option.some(written.sha256) })
        assert.strictEqual(scratch.text("/w/src/x.ts"), "mine again")

        const missing = yield* judge("none", "write", context)
        const gone = yield* Effect.flip(FileWriter.write(missing, bytes("x"), { base: now }))
        assert.deepInclude(gone, { _tag: "StaleFile", actual: null })
        assert.isFalse(fs.existsSync(missing.path))
        assert.strictEqual((yield* FileWriter.write(missing, bytes("x"), { base: Option.none() })).change, "created")
      })
    )

    it.scopedLive("leaves the other names of a file as they were (S2)", () =>
      Effect.gen(function* () {
        const { context, scratch } = yield* open
        scratch.build([["hardlink", "/w/hl", "/out/o.txt"]])
        const before = scratch.text("/out/o.txt")
        const written = yield* FileWriter.write(yield* judge("hl", "write", context), bytes("new"))
        assert.strictEqual(written.otherNames, 1)
        assert.strictEqual(scratch.text("/out/o.txt"), before)
        assert.strictEqual(scratch.text("/w/hl"), "new")
      })
    )

    it.scopedLive("removes a name and not what a symlink points to (S2)", () =>
      Effect.gen(function* () {
        const { context, scratch } = yield* open
        scratch.build([
          ["symlink", "/w/in", "src/x.ts"],
          ["symlink", "/w/out", "/out/o.txt"]
        ])
        yield* FileRemover.remove(yield* judge("in", "remove", context))
        yield* FileRemover.remove(yield* judge("out", "remove", context))
        assert.isFalse(fs.existsSync(scratch.at("/w/in")))
        assert.isTrue(fs.existsSync(scratch.at("/w/src/x.ts")))
        assert.isTrue(fs.existsSync(scratch.at("/out/o.txt")))
        const size = fs.statSync(scratch.at("/w/src/x.ts")).size
        const removed = yield* FileRemover.remove(yield* judge("src/x.ts", "remove", context))
        assert.deepStrictEqual(removed, { path: scratch.at("/w/src/x.ts"), previousSize: size })
        assert.isFalse(fs.existsSync(removed.path))
        assert.strictEqual((yield* Effect.flip(judge("src", "remove", context))).verdict.rule, "path/not-a-file")
      })
    )

    it.scopedLive("renames a file to a name that is free (S2)", () =>
      Effect.gen(function* () {
        const { context, scratch } = yield* open
        const text = scratch.text("/w/src/x.ts")
        const from = yield* judge("src/x.ts", "remove", context)
        const taken = yield* Effect.flip(FileRemover.rename(from, yield* judge("README.md", "write", context)))
        assert.strictEqual(taken._tag, "StaleFile")
        const renamed = yield* FileRemover.rename(from, yield* judge("lib/y.ts", "write", context), {
          base: Option.some(sha256(bytes(text)))
        })
        assert.deepStrictEqual(renamed, { from: from.path, path: scratch.at("/w/lib/y.ts"), size: text.length })
        assert.isFalse(fs.existsSync(from.path))
        assert.strictEqual(scratch.text("/w/lib/y.ts"), text)
      })
    )

    it.scopedLive("takes back the parents it made when the write fails, and keeps no descriptor (S2)", () =>
      Effect.gen(function* () {
        const { context, scratch } = yield* open
        const before = descriptors()
        const target = yield* judge("made/for/nothing/x", "write", context)
        const base = Option.some(sha256(bytes("never there")))
        assert.strictEqual((yield* Effect.flip(FileWriter.write(target, bytes("x"), { base })))._tag, "StaleFile")
        assert.isFalse(fs.existsSync(scratch.at("/w/made")))
        for (let round = 0; round < 20; round++) {
          yield* Effect.exit(FileWriter.write(target, bytes("x"), { base }))
          yield* FileWriter.write(yield* judge("src/x.ts", "write", context), bytes(String(round)))
          yield* Effect.exit(FileReader.read(yield* judge("none", "read", context)))
        }
        assert.isAtMost(descriptors(), before)
      })
    )

    it.scopedLive("leaves the old file and nothing else when it is interrupted at any moment (S2)", () =>
      Effect.gen(function* () {
        const { context, scratch } = yield* open
        const before = descriptors()
        const old = scratch.text("/w/src/x.ts")
        const target = yield* judge("src/x.ts", "write", context)
        const fresh = yield* judge("fresh/dir/y.ts", "write", context)
        const content = new Uint8Array(2 * 1024 * 1024).fill(97)
        const ends = new Set<string>()
        for (let turns = 0; turns < 40; turns++) {
          for (const path of [target, fresh]) {
            const fiber = yield* Effect.fork(FileWriter.write(path, content))
            yield* Effect.forEach(Array.from({ length: turns }), () => Effect.yieldNow())
            const exit = yield* Fiber.interrupt(fiber)
            const there = fs.existsSync(path.path) ? fs.readFileSync(path.path, "latin1") : undefined
            ends.add(Exit.isSuccess(exit) ? "written" : "interrupted")
            const unwritten = path === target ? old : undefined
            assert.strictEqual(there, Exit.isSuccess(exit) ? Buffer.from(content).toString("latin1") : unwritten)
            assert.deepStrictEqual(scratch.leftovers(), [])
            if (path === target) fs.writeFileSync(path.path, old)
            else if (Exit.isFailure(exit)) assert.isFalse(fs.existsSync(scratch.at("/w/fresh")))
            else fs.rmSync(scratch.at("/w/fresh"), { recursive: true })
          }
        }
        assert.isTrue(ends.has("interrupted"))
        assert.isAtMost(descriptors(), before)
      })
    )
  })
}

describe("file operations", () => {
  it.scopedLive("notice a change made while the new content is being written (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      const target = yield* judge("src/x.ts", "write", scratch.context())
      const writing = yield* Effect.fork(FileWriter.write(target, new Uint8Array(8 * 1024 * 1024)))
      while (scratch.leftovers().length === 0) yield* Effect.yieldNow()
      fs.writeFileSync(target.path, "changed meanwhile")
      const stale = yield* Effect.flip(Fiber.join(writing))
      assert.strictEqual(stale._tag, "StaleFile")
      assert.strictEqual(scratch.text("/w/src/x.ts"), "changed meanwhile")
    })
  )

  it.scopedLive("do not write into a directory that was moved away (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      scratch.build([["file", "/w/d/x"]])
      const target = yield* judge("d/x", "write", scratch.context())
      const writing = yield* Effect.fork(FileWriter.write(target, new Uint8Array(8 * 1024 * 1024)))
      while (scratch.leftovers().length === 0) yield* Effect.yieldNow()
      scratch.build([["rename", "/w/d", "/out/d"]])
      const refused = yield* Effect.flip(Fiber.join(writing))
      assert.strictEqual(refused._tag, "PathRefused")
      assert.strictEqual(scratch.text("/out/d/x"), "content of /w/d/x\n")
      assert.deepStrictEqual(scratch.leftovers(), [])
    })
  )

  it.scopedLive("leave a file alone that its owner made read-only (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      const target = yield* judge("README.md", "write", scratch.context())
      fs.chmodSync(target.path, 0o444)
      const exit = yield* Effect.either(FileWriter.write(target, bytes("new")))
      // The superuser may write to any file.
      if (process.getuid?.() === 0) assert.strictEqual(fs.statSync(target.path).mode & 0o777, 0o444)
      else assert.strictEqual(exit._tag, "Left")
    })
  )
})
