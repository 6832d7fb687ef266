import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import * as tollgate from "tollgate"
import * as ai from "tollgate/ai"

/** Every name that a program can import, at the top or in a namespace. */
const exported = new Set(
  Object.entries({ ...tollgate, ...ai }).flatMap(([name, value]: [string, unknown]) => [
    name,
    ...(typeof value === "object" && value !== null ? Object.keys(value) : [])
  ])
)

const declared = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(folder)
    .flatMap((file) => [
      ...fs.readFileSync(path.join(folder, file), "utf8").matchAll(/^export class (\w+) extends Schema\.TaggedError/gm)
    ])
    .flatMap(([, name]) => name ?? [])

describe("the public API", () => {
  it("has what a tool that delegates is written and stubbed with (P2)", () => {
    assert.includeMembers([...exported], ["Delegation", "DelegationFailed"])
  })

  it.each(["src/middleware", "src/tool", "src/gate", "src/runtime"])(
    "has the class of every error that %s can fail with (T1, M2)",
    (place) => {
      const names = declared(place)
      assert.isAbove(names.length, 3)
      assert.deepStrictEqual(
        names.filter((name) => !exported.has(name)),
        []
      )
    }
  )
})
