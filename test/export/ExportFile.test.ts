import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { write } from "../../src/export/ExportFile.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

describe("the file of an export", () => {
  it.scopedLive(
    "is noted while it is written, so that a killed export leaves nothing of a session behind (K2, S5)",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const notes = path.join(os.tmpdir(), `tollgate-writing-${process.getuid?.() ?? 0}`)
        const noted = Effect.sync(() => {
          const links = fs.existsSync(notes) ? fs.readdirSync(notes) : []
          const here = links.filter((name) => fs.readlinkSync(path.join(notes, name)) === directory)
          return [here, fs.readdirSync(directory)] as const
        })
        const seen: Array<Effect.Effect.Success<typeof noted>> = []
        const text = Stream.tap(Stream.make("said"), () => Effect.map(noted, (now) => void seen.push(now)))
        yield* write(path.join(directory, "a.md"), text, false)
        const [[during = [], files = []] = []] = seen
        assert.strictEqual(files.length, 1)
        assert.deepStrictEqual(during, files)
        assert.deepStrictEqual(yield* noted, [[], ["a.md"]])
      })
  )

  it.scopedLive("may have any name that the system takes (K2)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, `${"x".repeat(250)}.md`)
      yield* write(file, Stream.make("said"), false)
      assert.strictEqual(fs.readFileSync(file, "utf8"), "said")
    })
  )
})
