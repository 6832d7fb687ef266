import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"

const readme = fs.readFileSync("README.md", "utf8")

describe("the README", () => {
  it("shows the examples as they are compiled and run", () => {
    for (const file of [
      "examples/tool.ts",
      "examples/runtime.ts",
      "examples/session.ts",
      "examples/host.ts",
      "examples/tested.test.ts"
    ]) {
      const source = fs.readFileSync(file, "utf8")
      assert.include(readme, source, file)
      assert.isBelow(source.split("\n").length, 45)
    }
    assert.isBelow(fs.readFileSync("examples/tool.ts", "utf8").split("\n").length, 26)
  })

  it("names only files that are there", () => {
    for (const [, file = ""] of readme.matchAll(/`((?:test|scripts|docs|examples)\/[\w./-]+)`/g)) {
      assert.isTrue(fs.existsSync(file), file)
    }
  })
})
