import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { approved, call, meanwhile, world, type World } from "./support.ts"

const plain = ["docs/b.md", "lib/k", "a/b/c", "a/plain", "fine/a", "fine/b", "d1/k", "d2/other"]

const links = {
  "docs/a": "../../out/k",
  "docs/e.txt": "../.env",
  "docs/mine": "../../home/.ssh/id_rsa",
  "lib/k.md": "../../out/k",
  "fine/c": "a",
  "d2/k": "../../out/k",
  door: "../out",
  doors: "../out",
  plain: "../out/k",
  all: ".",
  up: "a/b"
}

/** Files with one line, and links that lead to others like them, out of the workspace and to secrets. */
const plant = (here: World): void => {
  for (const name of plain) here.write(name, "plain\n")
  for (const name of [`${here.base}/out/k`, `${here.home}/.ssh/id_rsa`, ".env"]) here.write(name, "not to be read\n")
  for (const [name, target] of Object.entries(links)) fs.symlinkSync(target, `${here.root}/${name}`)
}

describe("a link in the workspace", () => {
  const runIn = (here: World) => (command: string) =>
    Effect.provide(
      call("run_shell", { command }, () => "deny"),
      here.layer()
    )

  it.scopedLive("is read unasked by no command that says it by a pattern, a directory or `..` (S2, S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      plant(here)
      for (const command of [
        "cat docs/a*",
        "head -n 5 docs/a*",
        "head -n 5 docs/?",
        "cat -- *",
        "cat ./*/k.*",
        "cat ./do*/k",
        "cat ./doo*/*",
        "cat ./door*/k",
        "cat docs/*.txt",
        "sort lib/*.md",
        "grep -h . lib/*",
        "rg . lib/*.md",
        "wc -l fine/* docs/*.txt",
        `cat ${here.root}/docs/a*`,
        "cd docs && cat ./a*",
        "cd docs; cat lib/* ./a*",
        "cd up/.. && cat plain",
        "cd up && cd .. && cat plain",
        "grep -rh . all",
        "grep -rh . ./al*",
        "diff d1 d2",
        "diff d1/k d2"
      ]) {
        const { asked, error } = yield* runIn(here)(command)
        assert.strictEqual(error, "ApprovalDenied", command)
        assert.strictEqual(asked.length, 1, command)
      }
    })
  )

  it.scopedLive("to a key refuses the pattern, whoever would approve, and says which name it is (S2, S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      plant(here)
      for (const command of ["cat docs/*", "cat docs/m*", "cat ./*/mine", "cd docs && cat ./*"]) {
        const { asked, error, text } = yield* runIn(here)(command)
        assert.strictEqual(error, "CommandRefused", command)
        assert.match(text, /` also matches `[^`]*mine`: keys and credentials/, command)
        assert.strictEqual(asked.length, 0, command)
      }
    })
  )

  it.scopedLive("that leads to nothing worth a question keeps no pattern from running (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      plant(here)
      for (const [command, text] of [
        ["cat fine/*", "0\nplain\nplain\nplain\n"],
        ["cat ./*/b.md", "0\nplain\n"],
        ["cat docs/*.md", "0\nplain\n"],
        ["cd up && cat ../plain", "0\nplain\n"],
        ["cd a/b && cd .. && cat plain", "0\nplain\n"],
        ["diff fine/a fine/b", "0\n[no output]"],
        ["grep -rh . fine", "0\nplain\nplain\n"],
        ["cat docs/no* 2>/dev/null", "1\n[no output]"]
      ] as const) {
        assert.strictEqual((yield* runIn(here)(command)).text, `exit code ${text}`, command)
      }
    })
  )

  it.scopedLive("that a pattern did not stand for when it was judged is seen before it runs (S3, T6)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write(`${here.base}/out`, "not to be read")
      here.write("docs/b.md", "plain\n")
      const { asked, error, text } = yield* Effect.provide(
        call(
          "run_shell",
          { command: "cat docs/*" },
          approved,
          meanwhile(() => fs.symlinkSync("../../out", `${here.root}/docs/a`))
        ),
        here.layer()
      )
      assert.strictEqual(asked.length, 0)
      assert.strictEqual(error, "CommandRefused")
      assert.include(text, "`docs/*` also matches `docs/a`")
    })
  )
})
