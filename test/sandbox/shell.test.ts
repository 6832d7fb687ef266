import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import { head } from "../../src/process/Output.ts"
import { Processes } from "../../src/process/Processes.ts"
import { quoted } from "../../src/text/ShellWord.ts"
import { script } from "../../src/sandbox/ssh.ts"
import { sharing } from "../support/sharing.ts"
import { sh } from "../process/support.ts"

const special = ["'", '"', "\\", "$", "`", "\n", "$(id)", ";", "&", "|", "!", "*", "~", "-", "=", "\r", "\t", "é", "#"]

const hostile = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.array(fc.constantFrom(...special), { maxLength: 30 }).map((parts) => parts.join(""))
  )
  .map((text) => Buffer.from(text.replaceAll("\0", "")).toString())

sharing(Processes.layer)("a word for another machine's shell", (it) => {
  it.effect("is one argument with exactly its own bytes (S3)", () =>
    Effect.gen(function* () {
      const processes = yield* Processes
      for (const words of fc.sample(fc.array(hostile, { minLength: 1, maxLength: 40 }))) {
        const { stdout } = yield* processes.run(sh(`printf '%s\\0' ${words.map(quoted).join(" ")}`))
        assert.deepStrictEqual(head(stdout).split("\0").slice(0, -1), words)
      }
    })
  )

  it.effect("is what directory, environment and arguments are sent as (S3)", () =>
    Effect.gen(function* () {
      const processes = yield* Processes
      const nasty = `a'b "$(id)" \\ \n;`
      const args = ["-c", 'pwd; printf "%s|" "$X" "$@"', "sh", nasty]
      const sent = script({ file: "sh", args, cwd: "/usr", env: { X: nasty } })
      const { stdout } = yield* processes.run(sh(sent, { cwd: "/" }))
      assert.strictEqual(head(stdout), `/usr\n${nasty}|${nasty}|`)
    })
  )
})
