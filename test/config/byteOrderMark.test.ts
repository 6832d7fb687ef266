import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Option, Stream } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as PolicyCases from "../../src/cli/PolicyCases.ts"
import * as ConfigFile from "../../src/config/ConfigFile.ts"
import * as ProjectFile from "../../src/config/ProjectFile.ts"
import * as Installation from "../../src/hook/install/Installation.ts"
import { setups } from "../../src/hook/install/Setup.ts"
import * as Import from "../../src/import/Import.ts"
import * as Jsonc from "../../src/text/Jsonc.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

const mark = "\u{feff}"

/** Writes a value as a Windows editor does. */
const write = (file: string, text: string): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, `${mark}${text}`)
}

describe("a file that begins with a byte order mark", () => {
  it.scoped("is the configuration that it would be without, and keeps the mark where it is changed", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "config.json")
      write(file, '{"maxDepth": 3}')
      assert.deepStrictEqual(yield* ConfigFile.read(file), { maxDepth: 3 })
      yield* ConfigFile.write(file, { maxDepth: 4 })
      assert.deepStrictEqual(yield* ConfigFile.read(file), { maxDepth: 4 })
      assert.isTrue(fs.readFileSync(file, "utf8").startsWith(`${mark}{`))
    })
  )

  it.scoped("says where it goes wrong as if the mark were not there", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "config.json")
      write(file, "{,}")
      assert.include((yield* Effect.flip(ConfigFile.read(file))).message, "line 1, column 2")
    })
  )

  it.scoped("is read as the configuration and the servers of a project", () =>
    Effect.gen(function* () {
      const project = yield* temporaryDirectory
      write(ProjectFile.fileOf(project), '{"approvals": {"rules": []}}')
      write(ProjectFile.serversFileOf(project), '{"mcpServers": {"one": {"command": "one"}}}')
      const { servers, settings, text } = Option.getOrThrow(yield* ProjectFile.read(project))
      assert.deepStrictEqual(settings, Either.right({ approvals: { rules: [] } }))
      assert.strictEqual(text[0], "{")
      assert.lengthOf(servers.servers, 1)
    })
  )

  it.scoped.each(["[ROW]", "ROW\nROW2"])("holds policy cases, as a list and as lines: %s", (form) =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "cases.json")
      const row = (id: string) => JSON.stringify({ id, input: { command: "ls" }, expected: "allow" })
      write(file, form.replace("ROW2", row("b")).replace("ROW", row("a")))
      const { cases } = yield* PolicyCases.load(file)
      assert.isTrue(cases.every(Either.isRight))
    })
  )

  it.effect("is imported as a conversation", () =>
    Effect.gen(function* () {
      const text = `${mark}[{"role": "user", "content": "hi"}]`
      assert.strictEqual((yield* Import.read("talk.json", Stream.make(text))).messages, 1)
    })
  )

  it.scoped("keeps the mark where a hook is installed in it", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "settings.json")
      write(file, '{\n  "model": "m"\n}\n')
      for (const setup of setups.filter(({ entries }) => entries !== undefined)) {
        const argv = ["tollgate", "hook", setup.agent]
        const { after = "" } = yield* Installation.installing(setup, file, argv)
        assert.isTrue(after.startsWith(`${mark}{`))
        assert.isDefined(Jsonc.parse(after))
        fs.writeFileSync(file, after)
        assert.strictEqual((yield* Installation.stateOf(setup, file, argv))._tag, "Installed")
      }
    })
  )
})
