import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { make, type PathContext } from "../../src/policy/path/PathContext.ts"
import { guardedIn, placesOf } from "../../src/tools/shell/Guarded.ts"
import { notesOn, setAside } from "../../src/tools/shell/SetAside.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { unprivileged } from "../support/unprivileged.ts"

const workspace = Effect.gen(function* () {
  const root = yield* temporaryDirectory
  const home = yield* temporaryDirectory
  const context = yield* make({ cwd: root, roots: [root], home, trusted: false, stateDirs: [] })
  return { root, home, context, at: (...names: ReadonlyArray<string>) => path.join(root, ...names) }
})

/** The names of new protected places, by what was looked through before and after something was made. */
const renamedAfter = (context: PathContext, make: () => void) =>
  Effect.gen(function* () {
    const before = yield* guardedIn(context)
    make()
    const aside = yield* setAside(before, context)
    return { ...aside, renamed: aside.renamed.map((place) => path.relative(context.cwd, place)).toSorted() }
  })

const refusalOf = (context: PathContext, withholding?: Parameters<typeof guardedIn>[1]) =>
  Effect.map(Effect.flip(guardedIn(context, withholding)), ({ verdict }) => verdict.rule)

const bytes = (...parts: ReadonlyArray<string | number>): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "number" ? Buffer.of(part) : Buffer.from(part))))

describe("what a confined command leaves behind", () => {
  it.scoped("is set aside wherever it is protected, whatever the directories above it are called (S3)", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const home = yield* temporaryDirectory
      const context = yield* make({ cwd: root, roots: [root], home, trusted: false, stateDirs: [] })
      const before = yield* guardedIn(context)
      const made = ["plain/.git", "x.unapproved/.git", "y.unapproved-2/.git"]
      for (const name of made) fs.mkdirSync(path.join(root, name), { recursive: true })
      fs.mkdirSync(path.join(root, "aside", ".git.unapproved"), { recursive: true })
      const named = (yield* setAside(before, context)).renamed.map((place) => path.relative(root, place))
      assert.deepStrictEqual(
        named.toSorted(),
        made.map((name) => `${name}.unapproved`)
      )
      for (const name of made) assert.isFalse(fs.existsSync(path.join(root, name)), name)
      assert.deepStrictEqual((yield* setAside(before, context)).renamed, [])
    })
  )

  it.scoped("is set aside in directories that it has closed to their owner, which are opened again (S3)", () =>
    Effect.gen(function* () {
      const { at, context, home, root } = yield* workspace
      yield* unprivileged(root, home)
      const modes = [0o000, 0o111, 0o200, 0o311, 0o400, 0o500, 0o600]
      const { closed, left, renamed, reopened } = yield* renamedAfter(context, () => {
        for (const mode of modes) {
          const outer = at(`d${mode}`)
          fs.mkdirSync(path.join(outer, "in", ".git"), { recursive: true })
          fs.writeFileSync(path.join(outer, "in", ".envrc"), "x")
          fs.mkdirSync(path.join(outer, "in", ".vscode"))
          fs.chmodSync(path.join(outer, "in"), mode)
          fs.chmodSync(outer, mode)
        }
        fs.writeFileSync(at(".envrc"), "x")
        fs.chmodSync(root, 0o311)
      })
      const made = modes.flatMap((mode) =>
        [".envrc", ".git", ".vscode"].map((name) => `d${mode}/in/${name}.unapproved`)
      )
      assert.deepStrictEqual(renamed, [".envrc.unapproved", ...made].toSorted())
      assert.deepStrictEqual([left, closed], [[], []])
      for (const mode of modes) {
        assert.include(reopened, at(`d${mode}`, "in"))
        assert.strictEqual(fs.statSync(at(`d${mode}`, "in")).mode & 0o700, 0o700)
      }
      fs.chmodSync(root, 0o700)
    })
  )

  it.scoped("has no way to open what a link leads to (S3)", () =>
    Effect.gen(function* () {
      const { at, context, home, root } = yield* workspace
      yield* unprivileged(root, home)
      const elsewhere = path.join(home, "closed")
      fs.mkdirSync(elsewhere, { mode: 0o311 })
      yield* renamedAfter(context, () => fs.symlinkSync(elsewhere, at("link")))
      assert.strictEqual(fs.statSync(elsewhere).mode & 0o777, 0o311)
    })
  )

  it.scoped("is set aside below packages, below names that are no text, and however long its name is (S3)", () =>
    Effect.gen(function* () {
      const { at, context, root } = yield* workspace
      const odd = bytes(`${root}/x`, 0xff)
      const long = `${"n".repeat(245)}.pem`
      const { left, renamed } = yield* renamedAfter(context, () => {
        fs.mkdirSync(at("node_modules/p/.git"), { recursive: true })
        fs.writeFileSync(at("node_modules/p/.envrc"), "x")
        fs.mkdirSync(odd)
        fs.mkdirSync(Buffer.concat([odd, bytes("/.git")]))
        fs.writeFileSync(at(long), "x")
      })
      assert.deepStrictEqual(left, [])
      assert.isTrue(fs.existsSync(Buffer.concat([odd, bytes("/.git.unapproved")])))
      assert.isFalse(fs.existsSync(Buffer.concat([odd, bytes("/.git")])))
      assert.isFalse(fs.existsSync(at(long)))
      assert.includeMembers(renamed, ["node_modules/p/.envrc.unapproved", "node_modules/p/.git.unapproved"])
      assert.strictEqual(renamed.length, 4)
      assert.deepStrictEqual((yield* setAside(yield* guardedIn(context), context)).renamed, [])
    })
  )

  it.scoped("is set aside as far as is looked, nearest first, and what runs next is refused (S3)", () =>
    Effect.gen(function* () {
      const { at, context, root } = yield* workspace
      const before = yield* guardedIn(context)
      for (let one = 0; one < 50; one++) fs.mkdirSync(at(`d${one}`, "e", "f", "g"), { recursive: true })
      fs.mkdirSync(at("d49/e/.git"))
      fs.mkdirSync(at("d49/e/f/g/.git"))
      const near = yield* setAside(before, context, {}, 160)
      assert.deepStrictEqual([near.renamed, near.partial], [[path.join(root, "d49/e/.git.unapproved")], true])
      const tooMany = yield* Effect.flip(guardedIn(context, {}, 160))
      assert.strictEqual(tooMany.verdict.rule, "shell/workspace-too-large")
      const whole = yield* setAside(before, context)
      assert.deepStrictEqual([whole.renamed, whole.partial], [[path.join(root, "d49/e/f/g/.git.unapproved")], false])
    })
  )

  it("is said to be unknown where it is, and named where it keeps its name (S3)", () => {
    const nothing = { renamed: [], left: [], reopened: [], closed: [], partial: false }
    assert.deepStrictEqual(notesOn(nothing), [])
    const [note = ""] = notesOn({ ...nothing, partial: true })
    assert.match(note, /is not known for all of them; tell the user to look/)
    assert.notInclude(note, "renamed")
    assert.deepStrictEqual(notesOn({ ...nothing, closed: [["/w/a", "EACCES"]], left: [["/w/.git", "EROFS"]] }), [
      "[protected places created without approval that could not be renamed: /w/.git (the file system is read-only); tell the user to remove them]",
      "[directories that could not be looked through for protected places: /w/a (permission denied); tell the user to look]"
    ])
    const many = Array.from({ length: 30 }, (_, index) => `/w/${index}`)
    assert.match(notesOn({ ...nothing, renamed: many })[0] ?? "", /\/w\/19 and 10 more\]$/)
  })
})

describe("what a confined command finds", () => {
  it.scoped("is not what lies in a directory that cannot be listed, and its mode stays (S3)", () =>
    Effect.gen(function* () {
      const { at, context, home, root } = yield* workspace
      yield* unprivileged(root, home)
      const modes = [0o000, 0o111, 0o200, 0o311, 0o400, 0o600]
      for (const mode of modes) {
        fs.mkdirSync(at(`d${mode}`, "in"), { recursive: true })
        fs.writeFileSync(at(`d${mode}`, "in", ".env"), "KEY=1")
        fs.chmodSync(at(`d${mode}`), mode)
      }
      const before = yield* guardedIn(context)
      assert.includeMembers(
        [...before.hidden],
        modes.map((mode) => at(`d${mode}`))
      )
      const after = yield* setAside(before, context)
      assert.deepStrictEqual([after.renamed, after.reopened, after.closed], [[], [], []])
      for (const mode of modes) {
        assert.strictEqual(fs.statSync(at(`d${mode}`)).mode & 0o777, mode)
        fs.chmodSync(at(`d${mode}`), 0o700)
      }
    })
  )

  it.scoped("is nothing where the workspace itself cannot be listed, for then nothing runs (S3)", () =>
    Effect.gen(function* () {
      const { context, home, root } = yield* workspace
      yield* unprivileged(root, home)
      for (const mode of [0o311, 0o000, 0o600]) {
        fs.chmodSync(root, mode)
        assert.strictEqual(yield* refusalOf(context), "shell/workspace-unlisted", mode.toString(8))
      }
      fs.chmodSync(root, 0o700)
    })
  )

  it.scoped("is nothing where a protected place has a name that no sandbox takes (S3)", () =>
    Effect.gen(function* () {
      const { context, root } = yield* workspace
      fs.mkdirSync(bytes(`${root}/x`, 0xff))
      yield* guardedIn(context)
      fs.mkdirSync(bytes(`${root}/x`, 0xff, "/.git"))
      assert.strictEqual(yield* refusalOf(context), "shell/workspace-unnamed")
    })
  )

  it.scoped("has no secrets below what may only be read, nor below packages (S3)", () =>
    Effect.gen(function* () {
      const { at, context } = yield* workspace
      for (const name of [
        ".devcontainer/sub/.env",
        "node_modules/p/.env",
        ".git/refs/heads/x.pem",
        "app/.vscode/a.key"
      ]) {
        fs.mkdirSync(path.dirname(at(name)), { recursive: true })
        fs.writeFileSync(at(name), "x")
      }
      const { hidden, kept } = yield* guardedIn(context)
      assert.deepStrictEqual(
        hidden.toSorted(),
        [".devcontainer/sub/.env", "app/.vscode/a.key", "node_modules/p/.env"].map((name) => at(name))
      )
      assert.sameMembers([...kept], [at(".git"), at(".devcontainer"), at("app/.vscode")])
    })
  )

  it.scoped("is held file by file, in many packages package by package (S3)", () =>
    Effect.gen(function* () {
      const { at, context } = yield* workspace
      const add = (name: string) => {
        fs.mkdirSync(path.dirname(at(name)), { recursive: true })
        fs.writeFileSync(at(name), "x")
      }
      for (const name of ["AGENTS.md", "node_modules/@s/p/.travis.yml", "node_modules/q/in/.envrc"]) add(name)
      const few = placesOf(yield* guardedIn(context))
      assert.includeMembers(few.protected, [at("AGENTS.md"), at("node_modules/@s/p/.travis.yml")])
      for (let count = 0; count < 200; count++) add(`node_modules/r/in/${count}/.travis.yml`)
      const many = placesOf(yield* guardedIn(context))
      assert.sameMembers(
        many.protected,
        ["AGENTS.md", "node_modules/@s/p", "node_modules/r", "node_modules/q/in/.envrc"].map((name) => at(name))
      )
      assert.deepStrictEqual(many.hidden, [at("node_modules/q/in/.envrc")])
    })
  )

  it.scoped(
    "has nothing that rules withhold, wherever that is, and nothing runs where that is not known (A6, S3)",
    () =>
      Effect.gen(function* () {
        const { at, context, home, root } = yield* workspace
        for (const place of [
          at("secret/a"),
          at(".git/config"),
          at("x/b.pic"),
          path.join(home, "far/c"),
          path.join(home, "d")
        ]) {
          fs.mkdirSync(path.dirname(place), { recursive: true })
          fs.writeFileSync(place, "x")
        }
        const places = [at("secret"), at(".git/config"), at("x/b.pic"), path.join(home, "far/c")]
        const withheld = (place: string) => places.includes(place)
        const withheldFrom = [root, path.join(home, "far"), path.join(home, "not/there")]
        const before = yield* guardedIn(context, { withheld, withheldFrom })
        assert.sameMembers([...before.hidden], places)
        assert.strictEqual(yield* refusalOf(context, { withheld, withheldFrom: ["/"] }), "shell/rule-unbounded")
        const everything = { withheld: (place: string) => place === root, withheldFrom: [root] }
        assert.strictEqual(yield* refusalOf(context, everything), "shell/rule-withholds-workspace")
      })
  )
})
