import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"

interface Package {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
  readonly hasInstallScript?: boolean
}

const { packages } = JSON.parse(fs.readFileSync("package-lock.json", "utf8")) as {
  readonly packages: Readonly<Record<string, Package>>
}

/** What a package brings with it. */
const needs = ({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} }: Package) => [
  ...Object.keys({ ...dependencies, ...optionalDependencies }),
  ...Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta[name]?.optional !== true)
]

/** All that is installed with Tollgate, by name. */
const installed = (): ReadonlySet<string> => {
  const found = new Set<string>()
  const waiting = needs(packages[""] ?? {})
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue
    found.add(name)
    waiting.push(...needs(packages[`node_modules/${name}`] ?? {}))
  }
  return found
}

describe("the packages that are installed with Tollgate", () => {
  it("have the install scripts that the guide names, and no others (P1)", () => {
    const guide = fs.readFileSync("docs/library.md", "utf8")
    const paragraph = guide.split("\n\n").find((one) => one.includes("install script")) ?? ""
    const [, named = ""] = /dependencies\s+have\s+one,([^:]*):/.exec(paragraph) ?? []
    const scripted = [...installed()].filter((name) => packages[`node_modules/${name}`]?.hasInstallScript === true)
    assert.deepStrictEqual(
      [...named.replace(/\([^)]*\)/, "").matchAll(/`([^`]+)`/g)].map(([, name]) => name).toSorted(),
      scripted.toSorted()
    )
  })
})
