import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import type { PathContext } from "../../../src/policy/path/PathContext.ts"
import { judgeLexical } from "../../../src/policy/path/PathPolicy.ts"
import { addsNothingIn } from "../../../src/policy/path/Protected.ts"
import * as Places from "../../../src/policy/path/ProtectedPlaces.ts"
import * as SecretNames from "../../../src/policy/path/SecretNames.ts"

const home = "/home/ada"
const contextOf = (root: string): PathContext => ({
  cwd: root,
  roots: [root, `${root}/deep/inner`],
  home,
  trusted: false,
  stateDirs: ["/home/ada/.local/state/.tollgate-x", `${root}/a/b/own`],
  gitDirs: [`${root}/a/b/store`]
})

const tables = [Places.system, Places.anywhere, Places.home, Places.workspace]
const runs = tables.flatMap((table) => [...table.keys()])
const awkward =
  "a b own store src deep inner index.ts package.json HEAD x.git .git GIT~1 x.pem .env.d .ENV é … \\ x:y ...".split(" ")
const odd = fc
  .string({ unit: "binary", minLength: 1, maxLength: 6 })
  .filter((name) => !/[/\0]/.test(name) && !/^\.{1,2}$/.test(name))
const piece = fc.oneof(
  fc.constantFrom(...awkward, ...runs),
  fc.constantFrom(...runs).map((run) => run.toUpperCase()),
  fc.constantFrom(...SecretNames.secretNames, ...SecretNames.secretSuffixes.map((suffix) => `x${suffix}`)),
  odd
)
const ordinary = fc.constantFrom(..."x y util index.ts package.json README.md".split(" "))
const paths = fc
  .array(fc.oneof({ weight: 3, arbitrary: ordinary }, { weight: 2, arbitrary: piece }), { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.join("/").split("/"))

describe("a name that adds nothing to its directory", () => {
  it("is judged like it, whatever both are called (S2, S3)", () => {
    let certain = 0
    fc.assert(
      fc.property(
        fc.constantFrom("/w", "/srv/w/x/y", "/home/ada", "/home/ada/w/x", "/HOME/ADA/w"),
        paths,
        (root, names) => {
          const context = contextOf(root)
          const allows = (place: string, op: "grep" | "write") => judgeLexical(place, op, context).decision === "allow"
          const directory = [root, ...names.slice(0, -1)].join("/")
          const name = names.at(-1) ?? ""
          if (!addsNothingIn(directory, context)(name)) return
          const place = `${directory}/${name}`
          certain++
          if (context.roots.includes(place) || !allows(directory, "grep")) return
          assert.isTrue(allows(place, "grep"), place)
          if (allows(`${directory}/a`, "write")) assert.isTrue(allows(place, "write"), place)
        }
      ),
      { numRuns: 3000 }
    )
    assert.isAbove(certain, 100)
    const context = contextOf("/srv/w")
    for (const name of ["index.ts", "package.json", "README.md", "a b.txt", ".gitignore"])
      assert.isTrue(addsNothingIn("/srv/w/x/y", context)(name), name)
  })
})
