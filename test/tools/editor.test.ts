import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as fs from "node:fs"
import * as path from "node:path"
import { canOf, type Editor, EditorFailed } from "../../src/acp/Editor.ts"
import { filesOf } from "../../src/acp/filesOf.ts"
import { Checkpoints, make as makeCheckpoints } from "../../src/checkpoint/Checkpoints.ts"
import { EditorFiles, type FilesOfEditor } from "../../src/tools/files/EditorFiles.ts"
import { make as makeRewinding } from "../../src/tools/files/rewinding.ts"
import { Workspace } from "../../src/tools/Workspace.ts"
import { call, type World, world } from "./support.ts"

/** An editor that has files open, and saves what it writes. */
const editing = (here: World, more: Partial<FilesOfEditor> = {}) => {
  const buffers = new Map<string, string>()
  const files: FilesOfEditor = {
    directory: here.root,
    read: (file) => Effect.sync(() => Option.fromNullable(buffers.get(file))),
    write: (file, text) =>
      Effect.sync(() => {
        buffers.set(file, text)
        fs.writeFileSync(file, text)
      }),
    ...more
  }
  return { buffers, layer: Layer.merge(here.layer(), Layer.succeed(EditorFiles, files)) }
}

/** A directory of secrets beside the workspace. */
const secrets = (here: World): string => {
  const place = `${here.base}/secrets`
  fs.mkdirSync(place)
  fs.writeFileSync(`${place}/a.txt`, "secret\n")
  return place
}

/** How often an editor is asked for a text until it is asked to write. */
const readsOf = (here: World, edit: { readonly path: string; readonly old_text: string; readonly new_text: string }) =>
  Effect.gen(function* () {
    let reads = 0
    let last = 0
    const { layer } = editing(here, {
      read: (file) =>
        Effect.sync(() => {
          reads++
          return Option.some(fs.readFileSync(file, "utf8"))
        }),
      write: (file, text) =>
        Effect.sync(() => {
          last = reads
          fs.writeFileSync(file, text)
        })
    })
    yield* Effect.provide(call("edit_file", edit), layer)
    return last
  })

describe("a file that is read and written by an editor", () => {
  it.scopedLive("is not read where a directory on its way is a symlink meanwhile, also if it is put back (X3)", () =>
    Effect.gen(function* () {
      for (const isPutBack of [true, false]) {
        const here = yield* world
        const place = secrets(here)
        here.write("d/a.txt", "mine\n")
        const [way, aside] = [`${here.root}/d`, `${here.root}/aside`]
        const { layer } = editing(here, {
          read: (file) =>
            Effect.sync(() => {
              fs.renameSync(way, aside)
              fs.symlinkSync(place, way)
              const text = fs.readFileSync(file, "utf8")
              if (isPutBack) {
                fs.unlinkSync(way)
                fs.renameSync(aside, way)
              }
              return Option.some(text)
            })
        })
        const { error, text } = yield* Effect.provide(call("read_file", { path: "d/a.txt" }), layer)
        assert.strictEqual(error, "PathRefused")
        assert.include(text, "replaced between check and use")
        assert.notInclude(text, "secret")
      }
    })
  )

  it.scopedLive("fails closed where a directory is swapped for a symlink before or while the editor writes (X3)", () =>
    Effect.gen(function* () {
      for (const isBefore of [true, false]) {
        const here = yield* world
        const place = secrets(here)
        here.write("d/a.txt", "mine\n")
        const [way, aside] = [`${here.root}/d`, `${here.root}/aside`]
        const swap = () => {
          if (fs.existsSync(aside)) return
          fs.renameSync(way, aside)
          fs.symlinkSync(place, way)
        }
        const edit = { path: "d/a.txt", old_text: "mine", new_text: "changed" }
        const last = yield* readsOf(here, edit)
        here.write("d/a.txt", "mine\n")
        let reads = 0
        const { layer } = editing(here, {
          read: () =>
            Effect.sync(() => {
              // The directory is held already.
              if (isBefore && ++reads === last) swap()
              return Option.some("mine\n")
            }),
          write: (file, text) =>
            Effect.sync(() => {
              if (isBefore) return assert.fail("the editor was asked")
              swap()
              fs.writeFileSync(file, text)
            })
        })
        const { error, text } = yield* Effect.provide(call("edit_file", edit), layer)
        assert.strictEqual(error, isBefore ? "PathRefused" : "EditorFileFailed", text)
        if (!isBefore) assert.include(text, "may have been changed")
        assert.strictEqual(fs.readFileSync(`${aside}/a.txt`, "utf8"), "mine\n")
        if (isBefore) assert.strictEqual(fs.readFileSync(`${place}/a.txt`, "utf8"), "secret\n")
      }
    })
  )

  it.scopedLive("is not written over what was typed at the last moment (X3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("a.txt", "one\n")
      const edit = { path: "a.txt", old_text: "one", new_text: "two" }
      const last = yield* readsOf(here, edit)
      here.write("a.txt", "one\n")
      let reads = 0
      const { layer } = editing(here, {
        read: () => Effect.sync(() => Option.some(++reads === last ? "one, typed on\n" : "one\n"))
      })
      assert.strictEqual((yield* Effect.provide(call("edit_file", edit), layer)).error, "StaleFile")
      assert.strictEqual(here.read("a.txt"), "one\n")
    })
  )

  it.scopedLive(
    "is said to be changed only where it is: on the disk, by the editor's own format, or unsaved (X3)",
    () =>
      Effect.gen(function* () {
        const here = yield* world
        const edit = (old_text: string, new_text: string) => call("edit_file", { path: "a.txt", old_text, new_text })
        const file = `${here.root}/a.txt`
        here.write("a.txt", "one\r\ntwo\r\n")
        const crlf = editing(here, {
          write: (one, text) => Effect.sync(() => fs.writeFileSync(one, text.replace(/\r?\n/g, "\r\n")))
        })
        crlf.buffers.set(file, "one\ntwo\n")
        assert.isUndefined((yield* Effect.provide(edit("one", "1"), crlf.layer)).error)
        assert.strictEqual(here.read("a.txt"), "1\r\ntwo\r\n")

        const formatting = editing(here, {
          read: (one) => Effect.sync(() => Option.some(fs.readFileSync(one, "utf8"))),
          write: (one, text) => Effect.sync(() => fs.writeFileSync(one, `${text.trimEnd()}\n// formatted\n`))
        })
        const formatted = yield* Effect.provide(edit("two", "2"), formatting.layer)
        assert.isUndefined(formatted.error)
        assert.include(formatted.text, "the editor has changed it while it saved it")

        const lying = editing(here, {
          read: (one) => Effect.sync(() => Option.some(fs.readFileSync(one, "utf8"))),
          write: () => Effect.void
        })
        const lie = yield* Effect.provide(edit("2", "3"), lying.layer)
        assert.strictEqual(lie.error, "EditorFileFailed")
        assert.include(lie.text, "nothing has changed")

        const unsaved = editing(here)
        unsaved.buffers.set(file, "in the buffer\n")
        const keeping = editing(here, {
          read: (one) => Effect.sync(() => Option.fromNullable(unsaved.buffers.get(one))),
          write: (one, text) => Effect.sync(() => void unsaved.buffers.set(one, text))
        })
        assert.isUndefined((yield* Effect.provide(edit("in the buffer", "kept"), keeping.layer)).error)
        assert.strictEqual(unsaved.buffers.get(file), "kept\n")
        assert.include(here.read("a.txt"), "// formatted")

        const mute = editing(here, { write: undefined })
        mute.buffers.set(file, "typed\n")
        assert.include((yield* Effect.provide(call("read_file", { path: "a.txt" }), mute.layer)).text, "typed")
        const refused = yield* Effect.provide(edit("typed", "x"), mute.layer)
        assert.include(refused.text, "changes that are not saved")
      })
  )

  it.scopedLive(
    "is brought back to what the editor had, unsaved or formatted, by a rewind and by a patch that stops (X3)",
    () =>
      Effect.gen(function* () {
        const here = yield* world
        const file = `${here.root}/a.txt`
        here.write("a.txt", "saved\n")
        const { buffers, layer } = editing(here, {
          write: (one, text) =>
            Effect.sync(() => {
              const formatted = text.includes("format") ? `${text}// formatted\n` : text
              buffers.set(one, formatted)
              fs.writeFileSync(one, formatted)
            })
        })
        buffers.set(file, "unsaved\n")
        const store = makeCheckpoints({ directory: `${here.base}/checkpoints` })
        const services = Layer.merge(layer, Layer.succeed(Checkpoints, store))
        const edits = [
          ["unsaved", "format me"],
          ["format me", "format me again"]
        ] as const
        const steps = []
        for (const [old_text, new_text] of edits) {
          const { error, events, text } = yield* Effect.provide(
            call("edit_file", { path: "a.txt", old_text, new_text }),
            services
          )
          assert.isUndefined(error, text)
          steps.push(...events.flatMap((event) => (event._tag === "CheckpointSaved" ? event.files : [])))
        }
        const workspace = yield* Effect.provide(Workspace, services)
        const { left, restored } = yield* Effect.provide(
          makeRewinding(workspace, store).restore("session_1", steps, undefined),
          services
        )
        assert.deepStrictEqual(left, [])
        assert.lengthOf(restored, 1)
        assert.deepStrictEqual([buffers.get(file), here.read("a.txt")], ["unsaved\n", "unsaved\n"])

        here.write("b.txt", "b\n")
        const failing = editing(here, {
          read: (one) => Effect.sync(() => Option.some(fs.readFileSync(one, "utf8"))),
          write: (one, text) =>
            path.basename(one) === "a.txt" ? Effect.sync(() => fs.writeFileSync(one, text)) : Effect.interrupt
        })
        const patch = ["*** Begin Patch", "*** Update File: a.txt", "@@", "-unsaved", "+new", "*** Update File: b.txt"]
        const stopping = call("apply_patch", { patch: [...patch, "@@", "-b", "+c", "*** End Patch"].join("\n") })
        yield* Effect.exit(Effect.provide(stopping, failing.layer))
        assert.deepStrictEqual([here.read("a.txt"), here.read("b.txt")], ["unsaved\n", "b\n"])
      })
  )

  it.scoped(
    "is given up after 30 s, where the connection is lost, and where the editor gives no text, in words (X3)",
    () =>
      Effect.gen(function* () {
        const gone = new EditorFailed({ method: "fs/read_text_file", reason: "" })
        const filesBy = (readText: Editor["readText"]) => {
          const can = canOf({ fs: { readTextFile: true, writeTextFile: true } })
          const editor = { can, readText, writeText: () => Effect.never } as unknown as Editor
          const files = filesOf(editor, "s", "/project")
          return files?.read === undefined || files.write === undefined
            ? assert.fail()
            : { read: files.read, write: files.write }
        }
        const saying = (files: ReturnType<typeof filesBy>) => Effect.flip(files.read("/project/a"))
        const waiting = yield* Effect.fork(saying(filesBy(() => Effect.never)))
        const writing = yield* Effect.fork(Effect.flip(filesBy(() => Effect.never).write("/project/a", "x")))
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual(
          (yield* Fiber.join(waiting)).message,
          "The editor did not read /project/a: it gave no answer within 30 s."
        )
        assert.include((yield* Fiber.join(writing)).message, "The file may have been changed")
        assert.include((yield* saying(filesBy(() => gone))).message, "it has closed the connection")
        assert.include((yield* saying(filesBy(() => Effect.succeed("a\0")))).message, "it is not a text")
        const long = "x".repeat(16 * 1024 * 1024 + 1)
        assert.include((yield* saying(filesBy(() => Effect.succeed(long)))).message, "more than 16777216 characters")
      })
  )
})
