import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as fs from "node:fs"
import * as path from "node:path"
import {
  contentOf,
  forget,
  installing,
  perform,
  remember,
  stateOf,
  uninstalling
} from "../../src/hook/install/Installation.ts"
import { type Setup, setups } from "../../src/hook/install/Setup.ts"
import * as Jsonc from "../../src/text/Jsonc.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

const argv = (agent: string) => ["/usr/bin/node", "/opt/it's here/tollgate.cjs", "hook", agent]

const json = FastCheck.letrec((tie) => ({
  value: FastCheck.oneof(
    { maxDepth: 3 },
    FastCheck.constantFrom(1, true, null, "a", "é // no comment", "{"),
    tie("list"),
    tie("object")
  ),
  list: FastCheck.array(tie("value"), { maxLength: 3 }),
  object: FastCheck.dictionary(FastCheck.constantFrom("a", "b", "model", "permissions"), tie("value"), { maxKeys: 3 })
}))

/** A settings file as people leave one: some hooks of others, comments, tabs, commas behind the last entry, no last newline. */
const settings = FastCheck.record({
  rest: json.object,
  hooks: FastCheck.constantFrom(
    undefined,
    {},
    { PreToolUse: [] },
    { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "lint.sh" }] }] },
    { SessionStart: [{ hooks: [{ type: "command", command: "hello" }] }], BeforeTool: [{ matcher: "x", hooks: [] }] }
  ),
  unit: FastCheck.constantFrom(undefined, 2, 4, "\t"),
  crlf: FastCheck.boolean(),
  comment: FastCheck.boolean(),
  comma: FastCheck.boolean(),
  end: FastCheck.constantFrom("", "\n", "\n\n")
}).map(({ comma, comment, crlf, end, hooks, rest, unit }) => {
  const plain = JSON.stringify({ ...(rest as object), ...(hooks && { hooks }) }, null, unit)
  const multi = plain.includes("\n")
  const trailing = comma && multi ? plain.replace(/([^{[,\s])(\n\s*[}\]])/g, "$1,$2") : plain
  const noted = comment && multi ? `// mine\n${trailing.replace(/\n(\s*)"/, '\n$1/* { " */ "')}` : trailing
  const whole = noted + end
  return crlf ? whole.replaceAll("\n", "\r\n") : whole
})

const inFiles = setups.filter(({ entries }) => entries !== undefined)
const anyOf = (list: ReadonlyArray<Setup>) => FastCheck.constantFrom(...list)

const install = (setup: Setup, file: string, state: string) =>
  Effect.gen(function* () {
    const change = yield* installing(setup, file, argv(setup.agent))
    yield* remember(change, state)
    yield* perform(change, state)
  })
const uninstall = (setup: Setup, file: string, state: string) =>
  Effect.gen(function* () {
    yield* perform(yield* uninstalling(setup, file, state), state)
    yield* forget(file, state)
  })

const read = (text: string): unknown => {
  const node = Jsonc.parse(text)
  return node === undefined ? undefined : Jsonc.valueOf(node)
}

describe("the hook in the configuration of an agent", () => {
  it.scoped.prop(
    "goes in once, leaves the rest as it is written, and comes out again to the byte (X5)",
    { setup: anyOf(inFiles), text: settings },
    ({ setup, text }) =>
      Effect.gen(function* () {
        const state = yield* temporaryDirectory
        const file = path.join(state, "settings.json")
        fs.writeFileSync(file, text)
        yield* install(setup, file, state)
        const entered = fs.readFileSync(file, "utf8")
        assert.strictEqual((yield* stateOf(setup, file, argv(setup.agent)))._tag, "Installed", entered)
        const again = yield* installing(setup, file, argv(setup.agent))
        assert.strictEqual(again.after, again.before)
        // Without what was put in, it is what it was, also for whoever has no memory of it.
        const forgetful = yield* uninstalling(setup, file, path.join(state, "elsewhere"))
        const [was, left] = [read(text), read(forgetful.after ?? "")]
        const bare = (value: unknown) =>
          JSON.stringify(value)
            .replaceAll(/,?"hooks":\{(?:"PreToolUse":\[\])?\}/g, "")
            .replaceAll(/,?"version":1/g, "")
            .replaceAll("{,", "{")
        assert.strictEqual(bare(left), bare(was), `${text}\n->\n${entered}\n->\n${forgetful.after}`)
        yield* uninstall(setup, file, state)
        assert.strictEqual(fs.readFileSync(file, "utf8"), text)
      }),
    { fastCheck: { numRuns: 30 } }
  )

  it.scoped.prop(
    "keeps every byte of what stands there but for commas and the entry (X5)",
    { setup: anyOf(inFiles), text: settings },
    ({ setup, text }) =>
      Effect.gen(function* () {
        const state = yield* temporaryDirectory
        const file = path.join(state, "settings.json")
        fs.writeFileSync(file, text)
        const { after = "" } = yield* installing(setup, file, argv(setup.agent))
        let at = 0
        for (const char of text.replaceAll(/[\s,]/g, "")) {
          at = after.indexOf(char, at) + 1
          assert.isAbove(at, 0, `${text}\n->\n${after}`)
        }
      }),
    { fastCheck: { numRuns: 20 } }
  )

  for (const setup of setups) {
    it.scoped(`${setup.agent} has it in a new file, which is gone with it (X5)`, () =>
      Effect.gen(function* () {
        const state = yield* temporaryDirectory
        const file = path.join(state, "new", "deep", "file")
        yield* install(setup, file, state)
        assert.strictEqual((yield* stateOf(setup, file, argv(setup.agent)))._tag, "Installed")
        assert.strictEqual((yield* stateOf(setup, file, argv("other")))._tag, "Other")
        if (setup.entries !== undefined) {
          const whole = read(fs.readFileSync(file, "utf8"))
          assert.include(JSON.stringify(whole), "exit 2")
        }
        yield* uninstall(setup, file, state)
        assert.isFalse(fs.existsSync(file))
      })
    )
  }

  it.scoped("takes the place of an entry with another path, and mends one that is there twice (X5)", () =>
    Effect.gen(function* () {
      const state = yield* temporaryDirectory
      const [claude] = setups
      const file = path.join(state, "settings.json")
      const command = "'/old/node' '/old/tollgate.cjs' hook claude"
      const group = {
        matcher: "Bash",
        hooks: [
          { type: "command", command: "mine.sh" },
          { type: "command", command }
        ]
      }
      fs.writeFileSync(
        file,
        JSON.stringify(
          { hooks: { PreToolUse: [group, { matcher: "*", hooks: [{ type: "command", command }] }] } },
          null,
          2
        )
      )
      assert.strictEqual((yield* stateOf(claude!, file, argv("claude")))._tag, "Duplicated")
      yield* install(claude!, file, state)
      assert.strictEqual((yield* stateOf(claude!, file, argv("claude")))._tag, "Installed")
      const text = fs.readFileSync(file, "utf8")
      assert.include(text, "mine.sh")
      assert.notInclude(text, "/old/")
    })
  )

  it.scoped("keeps links that lead where nothing is yet, and takes away what it put there (X5)", () =>
    Effect.gen(function* () {
      const state = yield* temporaryDirectory
      const [claude] = setups
      const file = path.join(state, "settings.json")
      fs.mkdirSync(path.join(state, "dot"))
      fs.symlinkSync("dot/link.json", file)
      fs.symlinkSync("settings.json", path.join(state, "dot", "link.json"))
      yield* install(claude!, file, state)
      assert.include(fs.readFileSync(path.join(state, "dot", "settings.json"), "utf8"), "tollgate")
      yield* uninstall(claude!, file, state)
      assert.strictEqual(fs.readlinkSync(file), "dot/link.json")
      assert.deepStrictEqual(fs.readdirSync(path.join(state, "dot")), ["link.json"])
      fs.symlinkSync("round.json", path.join(state, "round.json"))
      const change = { file: path.join(state, "round.json"), before: undefined, after: "{}" }
      assert.strictEqual((yield* Effect.flip(perform(change, state)))._tag, "NotInstalled")
    })
  )

  it.scoped("keeps a link a link and the mode of the file, and refuses what it cannot do whole (X5)", () =>
    Effect.gen(function* () {
      const state = yield* temporaryDirectory
      const [claude] = setups
      const real = path.join(state, "dotfiles.json")
      const file = path.join(state, "settings.json")
      fs.writeFileSync(real, "{}\n", { mode: 0o640 })
      fs.chmodSync(real, 0o640)
      fs.symlinkSync(real, file)
      yield* install(claude!, file, state)
      assert.isTrue(fs.lstatSync(file).isSymbolicLink())
      assert.strictEqual(fs.statSync(real).mode & 0o777, 0o640)
      yield* uninstall(claude!, file, state)
      assert.strictEqual(fs.readFileSync(real, "utf8"), "{}\n")

      for (const [text, why] of [
        ["{ not json", /not valid JSON/],
        ['{"hooks": []}', /something else/],
        ["\u0000\ufffd", /not valid JSON/]
      ] as const) {
        fs.writeFileSync(real, text)
        const { message } = yield* Effect.flip(installing(claude!, file, argv("claude")))
        assert.match(message, why)
        assert.strictEqual(yield* contentOf(file), text)
      }

      fs.writeFileSync(real, "{}\n")
      const change = yield* installing(claude!, file, argv("claude"))
      fs.writeFileSync(real, '{"edited":true}\n')
      assert.match((yield* Effect.flip(perform(change, state))).message, /changed meanwhile/)
      assert.strictEqual(fs.readFileSync(real, "utf8"), '{"edited":true}\n')
    })
  )

  /** All places of a value: itself, and those of its parts, by their steps. */
  const placesIn = (value: unknown, at: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> => [
    ...(at.length === 0 ? [] : [at]),
    ...(typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, part]) => placesIn(part, [...at, key]))
      : [])
  ]
  /** A value that is another at one place, or has another name there. */
  const changedAt = (value: unknown, [key = "", ...steps]: ReadonlyArray<string>, how: "name" | "value"): unknown => {
    if (Array.isArray(value))
      return value.map((part, index) => (String(index) === key ? changedAt(part, steps, how) : part))
    if (typeof value !== "object" || value === null) return typeof value === "number" ? value + 1 : `${String(value)}x`
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) =>
        name !== key
          ? [name, part]
          : steps.length === 0 && how === "name"
            ? [`${name}x`, part]
            : [name, changedAt(part, steps, how)]
      )
    )
  }

  it.scoped.prop(
    "is not called installed where anything of it is not as it has to be, and is mended by another install (X5)",
    { setup: anyOf(inFiles), nth: FastCheck.nat(), how: FastCheck.constantFrom("name" as const, "value" as const) },
    ({ how, nth, setup }) =>
      Effect.gen(function* () {
        const state = yield* temporaryDirectory
        const file = path.join(state, "settings.json")
        yield* install(setup, file, state)
        const entered = JSON.parse(fs.readFileSync(file, "utf8")) as { readonly hooks: unknown }
        const places = placesIn(entered.hooks)
        const hooks = changedAt(entered.hooks, places[nth % places.length]!, how)
        fs.writeFileSync(file, JSON.stringify({ ...entered, hooks }))
        if (JSON.stringify(hooks) === JSON.stringify(entered.hooks)) return
        assert.notStrictEqual((yield* stateOf(setup, file, argv(setup.agent)))._tag, "Installed", JSON.stringify(hooks))
        yield* install(setup, file, state)
        assert.strictEqual((yield* stateOf(setup, file, argv(setup.agent)))._tag, "Installed")
      })
  )

  it.scoped("does not bring an older entry of ours back where it goes (X5)", () =>
    Effect.gen(function* () {
      const state = yield* temporaryDirectory
      const [claude] = setups
      const file = path.join(state, "settings.json")
      const older = {
        matcher: "*",
        hooks: [{ type: "command", command: "'/old/node' '/old/tollgate.cjs' hook claude" }]
      }
      fs.writeFileSync(file, JSON.stringify({ a: 2, hooks: { PreToolUse: [older] } }))
      yield* install(claude!, file, state)
      yield* uninstall(claude!, file, state)
      assert.deepStrictEqual(read(fs.readFileSync(file, "utf8")), { a: 2 })
    })
  )

  it.scoped("leaves programs of others alone that are called in a similar way (X5)", () =>
    Effect.gen(function* () {
      const state = yield* temporaryDirectory
      const [claude] = setups
      const file = path.join(state, "settings.json")
      const command = "/usr/bin/audit-tollgate --next 'my hook claude'"
      const text = JSON.stringify({ hooks: { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command }] }] } })
      fs.writeFileSync(file, text)
      assert.strictEqual((yield* stateOf(claude!, file, argv("claude")))._tag, "Absent")
      yield* install(claude!, file, state)
      fs.writeFileSync(file, `${fs.readFileSync(file, "utf8")}\n`)
      yield* uninstall(claude!, file, state)
      assert.deepStrictEqual(read(fs.readFileSync(file, "utf8")), JSON.parse(text))
    })
  )

  it.scoped("takes its entry out of a list and leaves the comments of others (X5)", () =>
    Effect.gen(function* () {
      const state = yield* temporaryDirectory
      const [claude] = setups
      const file = path.join(state, "settings.json")
      const mine = '{ "matcher": "Bash", "hooks": [] }'
      for (const [front, behind] of [
        ["", `// keep, this\n      ${mine}`],
        [`${mine} /* keep, this */`, ""],
        [`// keep, this\n      ${mine}`, `// and this\n      ${mine}`]
      ] as const) {
        const long = "x".repeat(70_000)
        fs.writeFileSync(file, `/* ${long} */\n{ "hooks": { "PreToolUse": [ ${front}\n ] } }`)
        yield* install(claude!, file, state)
        const text = fs.readFileSync(file, "utf8")
        const end = text.lastIndexOf("}", text.lastIndexOf("]")) + 1
        if (behind !== "") fs.writeFileSync(file, `${text.slice(0, end)},\n      ${behind}${text.slice(end)}`)
        else fs.writeFileSync(file, `${text}\n`)
        yield* uninstall(claude!, file, state)
        const left = fs.readFileSync(file, "utf8")
        assert.notInclude(left, "tollgate")
        assert.include(left, "keep, this")
        if (behind !== "") assert.include(left, behind.split("\n")[0]!)
        assert.isDefined(read(left))
      }
    })
  )

  it.scoped("does not take the place of a file that it has not written (X5)", () =>
    Effect.gen(function* () {
      const state = yield* temporaryDirectory
      for (const setup of setups.filter(({ whole }) => whole !== undefined)) {
        const file = path.join(state, setup.agent)
        fs.writeFileSync(file, "export PATH=/bin\n")
        assert.include((yield* Effect.flip(installing(setup, file, argv(setup.agent)))).message, "not Tollgate's")
      }
    })
  )
})
