import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const root = process.cwd()

/** What the compiler says of a program outside the repository that has the built package in its `node_modules`. */
const compiled = (source: string): string => {
  const folder = path.join(root, `.dist-consumer-${process.pid}`)
  const home = path.join(folder, "node_modules/tollgate")
  try {
    fs.mkdirSync(home, { recursive: true })
    fs.copyFileSync("package.json", path.join(home, "package.json"))
    fs.cpSync("dist/types", path.join(home, "dist/types"), { recursive: true })
    fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name: "consumer", type: "module" }))
    fs.copyFileSync(source, path.join(folder, "program.ts"))
    const compilerOptions = {
      target: "ES2023",
      lib: ["ES2024"],
      module: "NodeNext",
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      declaration: true,
      outDir: "out",
      types: ["node"]
    }
    fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }))
    const compiler = path.join(root, "node_modules/.bin/tsc")
    execFileSync(compiler, ["-p", folder, "--pretty", "false"], { encoding: "utf8" })
    return fs.readFileSync(path.join(folder, "out/program.d.ts"), "utf8")
  } catch (error) {
    const { stdout }: { readonly stdout?: unknown } = Object(error)
    return typeof stdout === "string" ? stdout : String(error)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

describe("a program that uses the package", () => {
  it("can export what it made under the types that are inferred (P2)", () => {
    const declarations = compiled("test/fixtures/consumer/inferred.ts")
    assert.notInclude(declarations, "error TS")
    assert.include(declarations, "export declare const layer: Layer.Layer<Tools, ")
    assert.include(declarations, "Approvals")
  })
})
