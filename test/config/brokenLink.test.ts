import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { read } from "../../src/config/ConfigFile.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

describe("a configuration that a link leads to", () => {
  it.scoped("counts where it is there, and is never taken for none where it is not (S2, U13)", () =>
    Effect.gen(function* () {
      const home = fs.realpathSync(yield* temporaryDirectory)
      const real = path.join(home, "dotfiles")
      const linked = path.join(home, "linked")
      const file = path.join(linked, "config.json")
      fs.mkdirSync(real)
      fs.symlinkSync(real, linked)
      assert.deepStrictEqual(yield* read(file), {})
      fs.symlinkSync(path.join(real, "elsewhere.json"), path.join(real, "config.json"))
      assert.deepInclude(yield* Effect.flip(read(file)), { file, reason: `${file} leads to what does not exist` })
      fs.writeFileSync(path.join(real, "elsewhere.json"), '{"profile":"x"}')
      assert.deepStrictEqual(yield* read(file), { profile: "x" })
      fs.renameSync(real, `${real}-gone`)
      assert.deepInclude(yield* Effect.flip(read(file)), { file, reason: `${linked} leads to what does not exist` })
    })
  )
})
