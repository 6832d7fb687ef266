import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { approved, call, changes, meanwhile, world } from "./support.ts"

const diff = (called: { readonly asked: ReadonlyArray<{ readonly preview?: { readonly diff?: string } }> }): string =>
  called.asked[0]?.preview?.diff ?? ""

describe("tools that change files", () => {
  it.scoped("write_file shows the difference, writes what was shown and reports it (S2, T6, T14)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("a.txt", "one\ntwo\n")
      fs.chmodSync(`${here.root}/a.txt`, 0o750)
      const changed = yield* Effect.provide(call("write_file", { path: "a.txt", content: "one\n2\n" }), here.layer())
      assert.strictEqual(changed.text, "modified a.txt (6 bytes)")
      assert.include(diff(changed), "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n")
      assert.strictEqual(changed.asked[0]?.message, "change a.txt (+1 −1 lines)")
      assert.match(changed.asked[0]?.preview?.targets[0]?.baseHash ?? "", /^[0-9a-f]{64}$/)
      assert.strictEqual(here.read("a.txt"), "one\n2\n")
      assert.strictEqual(fs.statSync(`${here.root}/a.txt`).mode & 0o777, 0o750)
      assert.deepStrictEqual(changes(changed.events), ["modified a.txt"])
      here.write("a.sql", "-- one\n++ two\n")
      const signs = yield* Effect.provide(call("write_file", { path: "a.sql", content: "++ 2\n" }), here.layer())
      assert.strictEqual(signs.asked[0]?.message, "change a.sql (+1 −2 lines)")
      const created = yield* Effect.provide(call("write_file", { path: "x/y/b.txt", content: "b" }), here.layer())
      assert.deepStrictEqual(changes(created.events), ["created b.txt"])
      assert.isNull(created.asked[0]?.preview?.targets[0]?.baseHash)
      assert.strictEqual(here.read("x/y/b.txt"), "b")
      const same = yield* Effect.provide(call("write_file", { path: "x/y/b.txt", content: "b" }), here.layer())
      assert.deepStrictEqual([same.asked, changes(same.events)], [[], []])
      const kept = yield* Effect.provide(call("write_file", { path: ".env", content: "A=1" }), here.layer())
      const again = yield* Effect.provide(call("write_file", { path: ".env", content: "A=1" }), here.layer())
      assert.deepStrictEqual([kept.asked.length, again.asked.length], [1, 1])
    })
  )

  it.scoped("what was changed is told with its difference, the beginning of a long one (T6, T14)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("a.txt", "one\n")
      const told = (content: string) =>
        Effect.map(Effect.provide(call("write_file", { path: "a.txt", content }), here.layer()), ({ events }) =>
          events.flatMap((event) => (event._tag === "FileChanged" ? [event.diff] : []))
        )
      assert.deepStrictEqual(yield* told("two\n"), [
        { text: "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two", omitted: 0 }
      ])
      assert.deepStrictEqual(yield* told("two\n"), [])
      const [long] = yield* told("line\n".repeat(5000))
      assert.strictEqual((long?.text.split("\n").length ?? 0) + (long?.omitted ?? 0), 5004)
      const [wide] = yield* told("x".repeat(100_000))
      assert.isBelow(wide?.text.length ?? Infinity, 16 * 1024)
      assert.isAbove(wide?.omitted ?? 0, 0)
      assert.deepStrictEqual(
        [long?.size, wide?.size],
        [
          { added: 5000, removed: 1 },
          { added: 1, removed: 5000 }
        ]
      )
    })
  )

  it.scoped("a denied write changes nothing and reports nothing (T6)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("a.txt", "old")
      const denied = yield* Effect.provide(
        call("write_file", { path: "a.txt", content: "new" }, () => "deny"),
        here.layer()
      )
      assert.strictEqual(denied.error, "ApprovalDenied")
      assert.strictEqual(here.read("a.txt"), "old")
      assert.deepStrictEqual(changes(denied.events), [])
    })
  )

  it.scoped("a file that changed, appeared or vanished after it was shown is not written (S2, T6)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const write = (path: string, action: () => void) =>
        Effect.provide(call("write_file", { path, content: "mine" }, approved, meanwhile(action)), here.layer())
      here.write("a.txt", "shown")
      const changed = yield* write("a.txt", () => here.write("a.txt", "meanwhile"))
      assert.strictEqual(changed.error, "StaleFile")
      assert.strictEqual(here.read("a.txt"), "meanwhile")
      const appeared = yield* write("b.txt", () => here.write("b.txt", "meanwhile"))
      assert.strictEqual(appeared.error, "StaleFile")
      assert.strictEqual(here.read("b.txt"), "meanwhile")
      const vanished = yield* write("a.txt", () => fs.unlinkSync(`${here.root}/a.txt`))
      assert.strictEqual(vanished.error, "StaleFile")
      assert.isFalse(here.has("a.txt"))
      here.write("one/f", "1")
      here.write("two/f", "1")
      fs.symlinkSync("one", `${here.root}/link`)
      const swapped = yield* write("link/f", () => {
        fs.unlinkSync(`${here.root}/link`)
        fs.symlinkSync("two", `${here.root}/link`)
      })
      assert.strictEqual(swapped.error, "PathRefused")
      assert.strictEqual(here.read("two/f") + here.read("one/f"), "11")
    })
  )

  it.scoped("protected places are refused before anyone is asked, and what runs later says so (S2)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write(".git/config", "[core]\n")
      for (const path of [".git/hooks/pre-commit", ".git/config", "../out.txt", `${here.home}/.bashrc`, "."]) {
        const refused = yield* Effect.provide(call("write_file", { path, content: "x" }), here.layer())
        assert.strictEqual(refused.error, "PathRefused", path)
        assert.strictEqual(refused.asked.length, 0, path)
      }
      const later = yield* Effect.provide(
        call("write_file", { path: ".vscode/tasks.json", content: "{}" }),
        here.layer()
      )
      assert.include(later.asked[0]?.message, "programs run it")
      assert.isTrue(later.asked[0]?.preview?.once)
    })
  )

  it.scoped("edit_file replaces an exact text in the file's own encoding and line ends (S2)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("a.ts", "const a = 1\r\nconst b = 1\r\n")
      const edit = (params: object) => Effect.provide(call("edit_file", { path: "a.ts", ...params }), here.layer())
      const edited = yield* edit({ old_text: "const b = 1\n", new_text: "const b = 2\nconst c = 3\n" })
      assert.strictEqual(edited.text, "modified a.ts at line 2")
      assert.strictEqual(here.read("a.ts"), "const a = 1\r\nconst b = 2\r\nconst c = 3\r\n")
      const twice = yield* edit({ old_text: "const", new_text: "let" })
      assert.strictEqual(twice.error, "EditFailed")
      assert.include(twice.text, "occurs 3 times")
      assert.strictEqual(twice.asked.length, 0)
      const counted = yield* edit({ old_text: "const", new_text: "let", count: 3 })
      assert.strictEqual(counted.text, "modified a.ts at line 1, 2, 3")
      here.write("b.txt", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("grüße", "utf16le")]))
      yield* Effect.provide(call("edit_file", { path: "b.txt", old_text: "ü", new_text: "ue" }), here.layer())
      assert.strictEqual(fs.readFileSync(`${here.root}/b.txt`).toString("utf16le").slice(1), "grueße")
      const missing = yield* Effect.provide(
        call("edit_file", { path: "c", old_text: "a", new_text: "b" }),
        here.layer()
      )
      assert.strictEqual(missing.error, "FileFailure")
    })
  )

  it.scoped("what edits says why it leaves a file of another encoding alone (S2)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const bytes = Buffer.from("Gr\xfc\xdfe\n", "latin1")
      here.write("latin.txt", bytes)
      here.write("b.bin", Buffer.from([1, 0, 2]))
      const edit = (path: string) =>
        Effect.provide(call("edit_file", { path, old_text: "e", new_text: "f" }), here.layer())
      const refused = yield* edit("latin.txt")
      assert.strictEqual(refused.error, "NotText")
      assert.include(refused.text, "neither UTF-8 nor UTF-16")
      assert.strictEqual(refused.asked.length, 0)
      assert.include((yield* edit("b.bin")).text, "binary")
      const change = "*** Begin Patch\n*** Update File: latin.txt\n@@\n-Gr\n+Hr\n*** End Patch"
      const patched = yield* Effect.provide(call("apply_patch", { patch: change }), here.layer())
      assert.include(patched.text, "neither UTF-8 nor UTF-16")
      assert.deepStrictEqual(fs.readFileSync(`${here.root}/latin.txt`), bytes)
    })
  )

  const patch = [
    "*** Begin Patch",
    "*** Add File: new.txt",
    "+fresh",
    "*** Update File: a.txt",
    "@@",
    "-one",
    "+ONE",
    "*** Delete File: gone.txt",
    "*** Update File: old.sh",
    "*** Move to: lib/new.sh",
    "@@",
    "-echo 1",
    "+echo 2",
    "*** End Patch"
  ].join("\n")

  it.scoped("apply_patch shows all differences and adds, changes, moves and deletes (S2, T14)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("a.txt", "one\ntwo\n")
      here.write("gone.txt", "bye\n")
      here.write("old.sh", "echo 1\n")
      fs.chmodSync(`${here.root}/old.sh`, 0o755)
      const applied = yield* Effect.provide(call("apply_patch", { patch }), here.layer())
      assert.strictEqual(applied.error, undefined, applied.text)
      assert.deepStrictEqual(
        [here.read("new.txt"), here.read("a.txt"), here.read("lib/new.sh"), here.has("gone.txt"), here.has("old.sh")],
        ["fresh\n", "ONE\ntwo\n", "echo 2\n", false, false]
      )
      assert.strictEqual(fs.statSync(`${here.root}/lib/new.sh`).mode & 0o777, 0o755)
      for (const part of [
        "+fresh",
        "-one\n+ONE",
        "-bye",
        "rename from old.sh\nrename to lib/new.sh",
        "-echo 1\n+echo 2"
      ]) {
        assert.include(diff(applied), part)
      }
      assert.strictEqual(applied.asked[0]?.preview?.targets.length, 5)
      assert.deepStrictEqual(changes(applied.events).toSorted(), [
        "created new.txt",
        "deleted gone.txt",
        "modified a.txt",
        "renamed new.sh"
      ])
    })
  )

  it.scoped("apply_patch judges and fits everything before anyone is asked (S2)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("a.txt", "one\n")
      const unfit = "*** Begin Patch\n*** Add File: b.txt\n+b\n*** Update File: a.txt\n@@\n-none\n+x\n*** End Patch"
      const outside = "*** Begin Patch\n*** Add File: b.txt\n+b\n*** Add File: ../c.txt\n+c\n*** End Patch"
      const alias = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+x\n*** Delete File: ./a.txt\n*** End Patch"
      const errors: Array<string | undefined> = []
      for (const text of [unfit, outside, alias, "nonsense"]) {
        const failed = yield* Effect.provide(call("apply_patch", { patch: text }), here.layer())
        errors.push(failed.error)
        assert.strictEqual(failed.asked.length, 0)
      }
      assert.deepStrictEqual(errors, ["PatchFailed", "PathRefused", "PatchFailed", "PatchInvalid"])
      assert.deepStrictEqual(fs.readdirSync(here.root), ["a.txt"])
    })
  )

  it.scoped("apply_patch that fails half-way restores what it had changed and says so (S2)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("a.txt", "one\n")
      here.write("old.txt", "two\n")
      const text = [
        "*** Begin Patch",
        "*** Update File: old.txt",
        "*** Move to: moved.txt",
        "@@",
        "-two",
        "+TWO",
        "*** Update File: a.txt",
        "@@",
        "-one",
        "+ONE",
        "*** Add File: name",
        "+is a file",
        "*** Add File: name/below.txt",
        "+so this cannot be",
        "*** End Patch"
      ].join("\n")
      const failed = yield* Effect.provide(call("apply_patch", { patch: text }), here.layer())
      assert.strictEqual(failed.error, "ChangeAborted")
      assert.match(failed.text, /name, a\.txt, moved\.txt was changed and is restored\. Nothing was changed$/)
      assert.deepStrictEqual(fs.readdirSync(here.root).toSorted(), ["a.txt", "old.txt"])
      assert.deepStrictEqual([here.read("a.txt"), here.read("old.txt")], ["one\n", "two\n"])
      assert.deepStrictEqual(changes(failed.events), [])
    })
  )

  it.scoped("apply_patch does nothing where one of its files changed after it was shown (S2, T6)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("a.txt", "one\ntwo\n")
      here.write("gone.txt", "bye\n")
      here.write("old.sh", "echo 1\n")
      const stale = yield* Effect.provide(
        call(
          "apply_patch",
          { patch },
          approved,
          meanwhile(() => here.write("gone.txt", "still needed\n"))
        ),
        here.layer()
      )
      assert.strictEqual(stale.error, "StaleFile")
      assert.strictEqual(here.read("a.txt"), "one\ntwo\n")
      assert.isFalse(here.has("new.txt"))
    })
  )
})
