import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { tools } from "../../src/tools/Builtin.ts"
import { approved, call, meanwhile, world } from "./support.ts"

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("")

describe("tools that look at files", () => {
  it.scoped("read_file gives a file as it is, in pages that say where to go on (S1)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("a.txt", "one\r\ntwo\nthree")
      here.write("long.txt", lines(2500))
      here.write("wide.txt", "x".repeat(5000))
      here.write("empty.txt", "")
      here.write("utf16.txt", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("grüße\n", "utf16le")]))
      const read = (params: unknown) => Effect.provide(call("read_file", params), here.layer())
      assert.strictEqual((yield* read({ path: "a.txt" })).text, "one\ntwo\nthree")
      assert.strictEqual(
        (yield* read({ path: "a.txt", offset: 2, limit: 1 })).text,
        "two\n[lines 2 to 2; continue with offset 3]"
      )
      assert.strictEqual(
        (yield* read({ path: "a.txt", offset: 9 })).text,
        "[the file has 3 lines; offset 9 is past the end]"
      )
      assert.strictEqual((yield* read({ path: "empty.txt" })).text, "[the file is empty]")
      assert.strictEqual((yield* read({ path: "utf16.txt" })).text, "grüße")
      const first = yield* read({ path: "long.txt" })
      assert.isTrue(first.text.endsWith("line 2000\n[lines 1 to 2000; continue with offset 2001]"))
      const second = yield* read({ path: "long.txt", offset: 2001 })
      assert.isTrue(second.text.startsWith("line 2001\n") && second.text.endsWith("line 2500"))
      assert.include(
        (yield* read({ path: "wide.txt" })).text,
        "[3000 more characters; read on with offset 1 and column 2001]\n[1 long line was shortened]"
      )
    })
  )

  it.scoped("read_file reads characters and lines that lie across its pieces, and stays bounded (S1)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("big.txt", `${"é".repeat(700_000)}\n${lines(200_000)}`)
      const read = (params: unknown) => Effect.provide(call("read_file", params), here.layer())
      const tail = yield* read({ path: "big.txt", offset: 200_001 })
      assert.strictEqual(tail.text, "line 200000")
      const head = yield* read({ path: "big.txt", limit: 1 })
      assert.isTrue(head.text.startsWith("é".repeat(2000)))
      assert.notInclude(head.text, "\ufffd")
      here.write("lines.txt", `${"y".repeat(1500)}\n`.repeat(2000))
      const bounded = yield* read({ path: "lines.txt" })
      assert.isBelow(bounded.text.length, 70_000)
      assert.match(bounded.text, /continue with offset 45\]$/)
    })
  )

  it.scoped("read_file reads a long line to its end, a page at a time, and splits no character (T10, S1)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const whole = `${"a".repeat(1999)}😀${"é".repeat(700_000)}😀end`
      here.write("one.json", `first\n${whole}\nlast`)
      let column = 1
      let seen = ""
      for (;;) {
        const { text } = yield* Effect.provide(
          call("read_file", { path: "one.json", offset: 2, limit: 1, column }),
          here.layer()
        )
        assert.isTrue(text.isWellFormed())
        const [, part = "", next] =
          /^([^ ]*) … \[\d+ more characters; read on with offset 2 and column (\d+)\]/.exec(text) ?? []
        if (next === undefined) {
          seen += text.split("\n")[0]
          break
        }
        seen += part
        assert.strictEqual(Number(next), column + part.length)
        column = Number(next)
      }
      assert.isTrue(seen === whole)
    })
  )

  it.scoped("read_file shows Western European text that is not UTF-8, and says so (S1)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("latin.txt", Buffer.from("Gr\xfc\xdfe f\xfcr 5 \x80\n\x93Schl\xfcssel\x94\n", "latin1"))
      here.write("late.txt", Buffer.concat([Buffer.from("x\n".repeat(600_000)), Buffer.from([0xe9, 0x0a])]))
      here.write("broken.txt", Buffer.from([0xff, 0xfe, 0x61]))
      const read = (params: object) => Effect.provide(call("read_file", params), here.layer())
      const note = "[the file is not UTF-8: it is shown as windows-1252; convert it before you edit it]"
      assert.strictEqual((yield* read({ path: "latin.txt" })).text, `Grüße für 5 €\n“Schlüssel”\n${note}`)
      assert.strictEqual((yield* read({ path: "late.txt", offset: 600_001 })).text, `é\n${note}`)
      assert.strictEqual((yield* read({ path: "broken.txt" })).error, "NotText")
    })
  )

  it.scoped("read_file refuses binary files, directories, pipes and what is not there (S2)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("b.bin", Buffer.from([1, 0, 2]))
      here.write("noise.bin", Buffer.from([0x67, 0xfc, 0x01, 0x0a]))
      const errors: Array<string | undefined> = []
      for (const path of ["b.bin", "noise.bin", ".", "missing.txt"]) {
        errors.push((yield* Effect.provide(call("read_file", { path }), here.layer())).error)
      }
      assert.deepStrictEqual(errors, ["NotText", "NotText", "PathRefused", "FileFailure"])
    })
  )

  it.scoped(
    "a path outside the roots or of secrets asks, and one of keys is refused before anyone is asked (S2, T6)",
    () =>
      Effect.gen(function* () {
        const here = yield* world
        here.write(".env", "TOKEN=1\n")
        here.write(`${here.base}/other/notes.txt`, "outside\n")
        here.write(`${here.home}/.ssh/id_rsa`, "key\n")
        const read = (path: string, decision: "approve" | "deny" = "approve") =>
          Effect.provide(
            call("read_file", { path }, () => decision),
            here.layer()
          )
        const secret = yield* read(".env")
        assert.strictEqual(secret.text, "TOKEN=1")
        assert.include(secret.asked[0]?.message, "usually hold secrets")
        assert.isTrue(secret.asked[0]?.preview?.once)
        assert.strictEqual((yield* read(".env", "deny")).error, "ApprovalDenied")
        const outside = yield* read("../other/notes.txt")
        assert.strictEqual(outside.text, "outside")
        assert.strictEqual(outside.asked.length, 1)
        const key = yield* read("../home/.ssh/id_rsa")
        assert.strictEqual(key.error, "PathRefused")
        assert.strictEqual(key.asked.length, 0)
      })
  )

  it.scoped("consent to one file is not consent to what its name leads to afterwards (S2)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("one/.env", "A=1\n")
      here.write("two/.env", "B=2\n")
      fs.symlinkSync("one", `${here.root}/link`)
      const swapped = yield* Effect.provide(
        call(
          "read_file",
          { path: "link/.env" },
          approved,
          meanwhile(() => {
            fs.unlinkSync(`${here.root}/link`)
            fs.symlinkSync("two", `${here.root}/link`)
          })
        ),
        here.layer()
      )
      assert.strictEqual(swapped.error, "PathRefused")
    })
  )

  it.scoped("a symlink does not lead out of the workspace unasked (S2)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write(`${here.base}/other/notes.txt`, "outside\n")
      here.write("in.txt", "needle\n")
      fs.symlinkSync(`${here.base}/other`, `${here.root}/door`)
      const denied = yield* Effect.provide(
        call("read_file", { path: "door/notes.txt" }, () => "deny"),
        here.layer()
      )
      assert.strictEqual(denied.error, "ApprovalDenied")
      const found = yield* Effect.provide(call("grep", { pattern: "outside|needle" }), here.layer())
      assert.strictEqual(found.text, "in.txt:1:needle")
      const globbed = yield* Effect.provide(call("glob", { pattern: "**/*.txt" }), here.layer())
      assert.strictEqual(globbed.text, "in.txt")
      const written = yield* Effect.provide(call("write_file", { path: "door/new.txt", content: "x" }), here.layer())
      assert.strictEqual(written.error, "PathRefused")
      assert.strictEqual(written.asked.length, 0)
      assert.isFalse(fs.existsSync(`${here.base}/other/new.txt`))
    })
  )

  it.scoped("list_dir marks directories and symlinks and shows what is ignored (S1)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("src/a.ts", "")
      here.write(".gitignore", "dist\n")
      here.write("dist/a.js", "")
      fs.symlinkSync("src", `${here.root}/link`)
      const listed = yield* Effect.provide(call("list_dir", {}), here.layer())
      assert.strictEqual(listed.text, ".gitignore\ndist/\nlink@\nsrc/")
      const none = yield* Effect.provide(call("list_dir", { path: "src/a.ts" }), here.layer())
      assert.strictEqual(none.error, "PathRefused")
    })
  )

  it.scoped("glob and grep leave out what .gitignore says at every level, unless its directory is named (S1)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write(".gitignore", "node_modules/\n*.log\n!keep.log\n/only-top.ts\n")
      here.write("sub/.gitignore", "local.ts\n!sub.log\n")
      for (const name of [
        "a.ts",
        "only-top.ts",
        "sub/only-top.ts",
        "sub/local.ts",
        "local.ts",
        "x.log",
        "keep.log",
        "sub/sub.log",
        "node_modules/p/index.ts",
        ".git/x.ts"
      ]) {
        here.write(name, "word\n")
      }
      const expected = ["a.ts", "keep.log", "local.ts", "sub/only-top.ts", "sub/sub.log"]
      const found = yield* Effect.provide(call("glob", { pattern: "**/*.{ts,log}" }), here.layer())
      assert.deepStrictEqual(found.text.split("\n").sort(), expected)
      const searched = yield* Effect.provide(call("grep", { pattern: "^word$" }), here.layer())
      assert.deepStrictEqual(
        searched.text.split("\n").sort(),
        expected.map((name) => `${name}:1:word`)
      )
      const named = yield* Effect.provide(call("glob", { pattern: "**/*.ts", path: "node_modules/p" }), here.layer())
      assert.strictEqual(named.text, "node_modules/p/index.ts")
      const below = yield* Effect.provide(call("grep", { pattern: "word", path: "node_modules" }), here.layer())
      assert.strictEqual(below.text, "node_modules/p/index.ts:1:word")
    })
  )

  it.scoped("rules of a hostile .gitignore do not hold up a search (S1)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write(".gitignore", `${"*a".repeat(40)}b\n${"**/x".repeat(30)}\n${"[".repeat(300)}\n*.skip\n`)
      here.write("a".repeat(250), "word\n")
      here.write("b.skip", "word\n")
      const found = yield* Effect.provide(call("grep", { pattern: "word" }), here.layer())
      assert.strictEqual(found.text, `${"a".repeat(250)}:1:word`)
    })
  )

  it.scoped("grep shows lines around a match, filters by name, ignores case and searches single files (S1)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("a.txt", "one\ntwo\nNeedle\nfour\nfive\nsix\nseven\nneedle\n")
      here.write("b.md", "needle\n")
      const grep = (params: object) =>
        Effect.map(Effect.provide(call("grep", { pattern: "needle", ...params }), here.layer()), ({ text }) => text)
      assert.strictEqual(
        yield* grep({ include: ["*.txt"], ignore_case: true, context: 1 }),
        "a.txt-2-two\na.txt:3:Needle\na.txt-4-four\n--\na.txt-7-seven\na.txt:8:needle"
      )
      assert.strictEqual(yield* grep({ path: "b.md" }), "b.md:1:needle")
      assert.strictEqual(yield* grep({ pattern: "absent" }), "[no line matches]")
      assert.strictEqual(
        yield* grep({ max_results: 1 }),
        "a.txt:8:needle\n[stopped after 1 results; narrow the search]"
      )
    })
  )

  it.scoped(
    "grep takes linear time on patterns that backtrack, and says what is wrong with one it cannot use (S1)",
    () =>
      Effect.gen(function* () {
        const here = yield* world
        here.write("a.txt", `${"a".repeat(16_000)}!\n`)
        const slow = yield* Effect.provide(call("grep", { pattern: "(a+)+$" }), here.layer())
        assert.strictEqual(slow.text, "[no line matches]")
        const invalid = yield* Effect.provide(call("grep", { pattern: "(x" }), here.layer())
        assert.strictEqual(invalid.error, "PatternInvalid")
        assert.include(invalid.text, "missing closing )")
      })
  )

  it.scoped("grep passes over a file of a gigabyte without reading it, and says so where it was named (S1)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("a.txt", "word")
      here.write("huge.txt", "word\n")
      fs.truncateSync(`${here.root}/huge.txt`, 1024 ** 3)
      const grep = (params: object) => Effect.provide(call("grep", { pattern: "word", ...params }), here.layer())
      assert.strictEqual((yield* grep({})).text, "a.txt:1:word")
      assert.strictEqual((yield* grep({ path: "huge.txt" })).text, "[huge.txt is too large and was not searched]")
    })
  )

  it.scoped("grep passes over secrets and binary files and its answer is bounded (S2)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write(".env", "word\n")
      here.write("a.bin", Buffer.from("word\0"))
      here.write("many.txt", `word ${"x".repeat(2000)}\n`.repeat(1500))
      const found = yield* Effect.provide(call("grep", { pattern: "word", max_results: 1000 }), here.layer())
      assert.isBelow(found.text.length, 70_000)
      assert.include(found.text, "[stopped after")
      assert.notInclude(found.text, ".env")
      assert.notInclude(found.text, "a.bin")
    })
  )

  it("every parameter is told to the model in plain JSON Schema with a description (T1)", () => {
    for (const tool of tools) {
      const schema = tool.codec.jsonSchema() as {
        readonly $defs?: unknown
        readonly properties: Readonly<Record<string, { readonly type?: string; readonly description?: string }>>
      }
      assert.isUndefined(schema.$defs, tool.name)
      for (const [name, property] of Object.entries(schema.properties)) {
        assert.isString(property.type, `${tool.name}.${name}`)
        assert.isString(property.description, `${tool.name}.${name}`)
        assert.notMatch(property.description ?? "", /^a (?:string|number)/, `${tool.name}.${name}`)
      }
    }
  })
})
