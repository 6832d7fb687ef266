import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { remove } from "../../../src/policy/path/FileRemover.ts"
import { judge, judgeLexical } from "../../../src/policy/path/PathPolicy.ts"
import { applyPatch, type PatchedFile } from "../../../src/tools/files/ApplyPatch.ts"
import { parsePatch, patchTargets } from "../../../src/tools/files/Patch.ts"
import { corpus } from "../../support/corpora.ts"
import { Scratch, type Entry } from "../../policy/path/scratch.ts"

const run = (patch: string, files: Record<string, string>): ReadonlyArray<PatchedFile> | string =>
  Either.flatMap(parsePatch(patch), (parsed) => applyPatch(parsed, new Map(Object.entries(files)))).pipe(
    Either.match({ onLeft: (error) => error.message, onRight: (done) => done })
  )

const after = (patch: string, files: Record<string, string>): Record<string, string | undefined> | string => {
  const result = run(patch, files)
  return typeof result === "string" ? result : Object.fromEntries(result.map((file) => [file.path, file.after]))
}

const envelope = (...lines: ReadonlyArray<string>): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")

describe("patches between markers", () => {
  const file = "import a\n\nfunction f() {\n  return 1\n}\n\nfunction g() {\n  return 1\n}\n"

  it("add, change, move and delete files (S1)", () => {
    const patch = envelope(
      "*** Add File: new.ts",
      "+one",
      "+",
      "+two",
      "*** Update File: f.ts",
      "*** Move to: lib/f.ts",
      "@@ function g() {",
      "-  return 1",
      "+  return 2",
      " }",
      "*** Delete File: old.ts"
    )
    assert.deepStrictEqual(run(patch, { "f.ts": file, "old.ts": "x\n" }), [
      { path: "new.ts", before: undefined, after: "one\n\ntwo\n" },
      { path: "f.ts", before: file, after: undefined },
      { path: "lib/f.ts", before: undefined, after: file.replace(/1(?=\n\}\n$)/, "2"), movedFrom: "f.ts" },
      { path: "old.ts", before: "x\n", after: undefined }
    ])
  })

  it("keep line endings, and what they did not mention (S1)", () => {
    const patch = envelope("*** Update File: f", " a", "-b", "+c")
    assert.deepStrictEqual(after(patch, { f: "a\r\nb\r\n" }), { f: "a\r\nc\r\n" })
    assert.deepStrictEqual(after(patch, { f: "a  \nb" }), { f: "a  \nc" })
    assert.deepStrictEqual(after(envelope("*** Update File: f", "@@", "+z"), { f: "a\n" }), { f: "a\nz\n" })
    assert.deepStrictEqual(after(envelope("*** Update File: f", "-a", "*** End of File"), { f: "a\nb\na\n" }), {
      f: "a\nb\n"
    })
  })

  it("refuse what is unclear and change nothing then (S1)", () => {
    for (const [patch, reason] of [
      [envelope("*** Update File: f.ts", "-  return 1", "+  return 2"), "occur at lines 4 and 8"],
      [envelope("*** Update File: f.ts", "-  return 3", "+  return 2"), "it does not have the lines"],
      [envelope("*** Update File: f.ts", "@@ function h() {", "-  return 1"), "was not found"],
      [envelope("*** Add File: f.ts", "+x"), "exists already"],
      [envelope("*** Delete File: none.ts"), "does not exist"],
      [envelope("*** Add File: x", "+x", "*** Delete File: none.ts"), "Nothing was changed"],
      [envelope("*** Add File: x", "x"), "at line 3"],
      [envelope("*** Update File: f.ts"), "without a change"],
      [envelope("*** Update File: f.ts", "@@"), "has no lines"],
      [envelope("hello"), "expected"],
      [envelope(), "changes no file"],
      ["*** Begin Patch\n*** Add File: x\n+x", "does not end"]
    ] as const) {
      assert.include(String(run(patch, { "f.ts": file })), reason)
    }
  })
})

describe("unified diffs", () => {
  it("add, change, move and delete files (S1)", () => {
    const patch = [
      "diff --git a/f b/g",
      "similarity index 50%",
      "rename from f",
      "rename to g",
      "--- a/f",
      "+++ b/g",
      "@@ -1,2 +1,2 @@",
      " a",
      "-b",
      "+c",
      "diff --git a/new b/new",
      "new file mode 100644",
      "--- /dev/null",
      "+++ b/new",
      "@@ -0,0 +1,1 @@",
      "+x",
      "diff --git a/old b/old",
      "deleted file mode 100644",
      "--- a/old",
      "+++ /dev/null",
      "@@ -1,1 +0,0 @@",
      "-x",
      ""
    ].join("\n")
    assert.deepStrictEqual(after(patch, { f: "a\nb\n", old: "x\n" }), {
      f: undefined,
      g: "a\nc\n",
      new: "x\n",
      old: undefined
    })
    assert.deepStrictEqual(after("--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", { f: "a\n" }), { f: "b\n" })
  })

  it("refuse what is no text file, what they do not name, and what does not fit (S1)", () => {
    for (const [patch, reason] of [
      ["diff --git a/s b/s\nnew file mode 120000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+/etc/passwd\n", "a symlink"],
      [
        "diff --git a/s b/s\nnew file mode 160000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+Subproject commit 1\n",
        "another repository"
      ],
      ["diff --git a/f b/f\nBinary files a/f and b/f differ\n", "binary"],
      ["--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n", "one file f and then g"],
      ["@@ -1 +1 @@\n-a\n+b\n", "does not name its file"],
      ["--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+b\n", "Nothing was changed"],
      ["--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "more lines than the patch deletes"],
      ["--- a/f\n+++ b/f\n@@ -1,9 +1 @@\n-a\n", "cannot be read"],
      ["hello", "cannot be read"]
    ] as const) {
      assert.include(String(run(patch, { f: "a\nrest\n" })), reason)
    }
  })
})

interface Input {
  readonly op: string
  readonly path: string
  readonly fs?: ReadonlyArray<Entry>
}

/** Two rows say in words what the patch is. */
const worded = (text: string): string => {
  const [, ok, refused] = /^two files: (\S+) \(ok\) and (\S+) \(refused\)$/.exec(text) ?? []
  if (ok !== undefined && refused !== undefined) {
    return envelope(`*** Update File: ${ok}`, "@@", "+x", `*** Add File: ${refused}`, "+x")
  }
  const [, link] = /^delete symlink (\S+) -> /.exec(text) ?? []
  return link === undefined ? text : envelope(`*** Delete File: ${link}`)
}

describe("the corpus of paths, patches", () => {
  for (const row of corpus<Input>("b_paths").filter(({ input }) => input.op === "patch")) {
    it.scopedLive(`${row.id}: ${row.why} (S2)`, () =>
      Effect.gen(function* () {
        const scratch = yield* Scratch.fixture
        scratch.build(row.input.fs ?? [])
        const parsed = parsePatch(worded(row.input.path))
        const before = scratch.snapshot("/none")
        const judged = yield* Effect.either(
          Effect.flatMap(parsed, (patch) =>
            Effect.forEach(patchTargets(patch), ({ op, path }) => judge(path, op, scratch.context()))
          )
        )
        assert.include(row.accept ?? [row.expected], Either.isRight(judged) ? "allow" : "deny")
        assert.deepStrictEqual(scratch.snapshot("/none"), before)
        if (Either.isRight(judged)) {
          for (const target of judged.right) {
            if (target.op === "remove") yield* remove({ ...target, op: "remove" })
          }
          assert.include(row.invariants ?? [], "src/x.ts exists")
          assert.strictEqual(scratch.text("/w/src/x.ts"), "content of /w/src/x.ts\n")
        }
      })
    )
  }

  it("unquotes names before they are judged, and judges every one of them (S2)", () => {
    const context = { cwd: "/w", roots: ["/w"], home: "/home/u", trusted: false, stateDirs: [] }
    for (const patch of [
      '--- "a/\\056\\056/out/o.txt"\n+++ "b/\\056\\056/out/o.txt"\n@@ -1 +1 @@\n-a\n+b\n',
      "diff --git a/x b/.git/hooks/x\nsimilarity index 100%\nrename from x\nrename to .git/hooks/x\n",
      "diff --git a/.git/config b/x\nsimilarity index 100%\nrename from .git/config\nrename to x\n",
      "--- /dev/null\n+++ b/.git/hooks/pre-commit\n@@ -0,0 +1 @@\n+x\n",
      "--- a/../out/o.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
      envelope("*** Update File: src/x.ts", "*** Move to: /etc/cron.d/x"),
      envelope("*** Add File: ../x", "+x")
    ]) {
      const targets = patchTargets(Either.getOrThrow(parsePatch(patch)))
      const decisions = targets.map(({ op, path }) => judgeLexical(path, op, context).decision)
      assert.include(decisions, "deny", patch)
    }
  })
})
