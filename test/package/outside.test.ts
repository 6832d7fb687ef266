// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off - drives real processes from outside
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as esbuild from "esbuild"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"
import { builtTypes, root } from "../support/built.ts"

const run = promisify(execFile)

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>
  readonly scripts: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}
const manifest = JSON.parse(fs.readFileSync("package.json", "utf8")) as Manifest

/** The samples of the guide, by the name of their file: the program, and what it prints. */
const samples = [
  ...fs.readFileSync("docs/library.md", "utf8").matchAll(/```ts (\S+)\n(.*?)```\n+```text\n(.*?)```/gs)
].map(([, file = "", source = "", prints = ""]) => ({ name: file.replace(".ts", ""), source, prints }))

const entries = Object.keys(manifest.exports).filter((name) => !name.endsWith(".json"))
const sourceOf = (entry: string): string => `src/${entry === "." ? "index" : entry.slice(2)}.ts`

/** The example in the doc-block that a module begins with. */
const exampleOf = (source: string): string => {
  const [, example = ""] = /^\/\*\*.*?```ts\n(.*?) \* ```.*?\*\//s.exec(source) ?? []
  return example.replaceAll(/^ \* ?/gm, "")
}

const isClass = (value: unknown): boolean =>
  typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value))
const isNamespace = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Reflect.get(value, Symbol.toStringTag) === "Module"

/** What every class of Effect has, which says nothing of ours. */
const inherited = new Set(["length", "name", "prototype", "ast", "fields", "annotations", "identifier", "key", "stack"])

/** What an export has a type of its own for: itself, what it gives where it is a function, and its service where it is a tag. */
const typed = (place: string, value: unknown): ReadonlyArray<string> =>
  isClass(value)
    ? Reflect.has(value as object, "key")
      ? [`serviceOf(${place})`]
      : []
    : typeof value === "function"
      ? [place, `given(${place})`]
      : [place]

/** The exports of an entry point by their path, in namespaces and in classes. */
const pathsOf = (place: string, value: unknown, depth = 0): ReadonlyArray<string> => {
  const within = isNamespace(value) || isClass(value) ? (value as object) : undefined
  const below =
    within === undefined || depth > 2
      ? []
      : Object.getOwnPropertyNames(within)
          .filter((name) => /^[A-Za-z]\w*$/.test(name) && (isNamespace(value) || !inherited.has(name)))
          .filter((name) => isNamespace(value) || /^(?:layer|make)/.test(name))
          .flatMap((name) => pathsOf(`${place}.${name}`, Reflect.get(within, name), depth + 1))
  return isNamespace(value) ? below : [...typed(place, value), ...below]
}

/**
 * Programs that each import one export of an entry point and have all of it under the types that are inferred; whatever their
 * declarations name has to be in reach without another import.
 */
const namesOf = async (entry: string): Promise<ReadonlyArray<readonly [name: string, source: string]>> => {
  const all = (await import(path.join(root, sourceOf(entry)))) as object
  return Object.entries(all).map(([name, value], at) => [
    // Some names differ by a capital letter alone.
    `named-${path.basename(sourceOf(entry), ".ts")}-${at}-${name}.ts`,
    [
      `import { ${name} } from "${entry === "." ? "tollgate" : `tollgate/${entry.slice(2)}`}"`,
      'import type * as Tag from "effect/Effect"',
      "declare const given: <A>(by: (...parameters: never) => A) => A",
      "declare const serviceOf: <A, E, R>(tag: Tag.Effect<A, E, R>) => A",
      ...pathsOf(name, value).map((place, index) => `export const _${index} = ${place}`)
    ].join("\n")
  ])
}

/** A program outside of the repository, which has installed what would be published. */
let folder = ""
let installed: ReadonlyArray<string> = []
const at = (...names: ReadonlyArray<string>) => path.join(folder, ...names)

const install = async () => {
  await builtTypes()
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-outside-")))
  const packed = await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], { cwd: root })
  const dependencies = {
    tollgate: `file:${packed.stdout.trim()}`,
    ...Object.fromEntries(Object.keys(manifest.peerDependencies).map((name) => [name, manifest.devDependencies[name]]))
  }
  fs.writeFileSync(at("package.json"), JSON.stringify({ name: "outside", type: "module", dependencies }))
  await run("npm", ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: folder })
  installed = Object.keys(
    (JSON.parse(fs.readFileSync(at("node_modules/.package-lock.json"), "utf8")) as { packages: object }).packages
  )
  // The compiler's own needs, which the package has none of.
  fs.mkdirSync(at("node_modules/@types"), { recursive: true })
  fs.symlinkSync(path.join(root, "node_modules/@types/node"), at("node_modules/@types/node"))
}

const compilerOptions = {
  target: "ES2023",
  lib: ["ES2024"],
  module: "NodeNext",
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  declaration: true,
  outDir: "out",
  types: ["node"]
}

/** What the compiler says, and the declarations that it makes. */
const compiled = async (files: ReadonlyArray<string>): Promise<string> => {
  fs.writeFileSync(at("tsconfig.json"), JSON.stringify({ compilerOptions, files }))
  const compiler = path.join(root, "node_modules/typescript/bin/tsc")
  return run(process.execPath, [compiler, "-p", folder, "--pretty", "false"], { cwd: folder }).then(
    ({ stdout }) => stdout,
    (error: unknown) => String((error as { stdout?: unknown }).stdout ?? error)
  )
}

const bundled = async (source: string, platform: "browser" | "node") => {
  const { metafile, outputFiles } = await esbuild.build({
    stdin: { contents: source, resolveDir: folder },
    absWorkingDir: folder,
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform,
    external: ["better-sqlite3", "@photostructure/sqlite"],
    logLevel: "silent"
  })
  const own = Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([name]) => name.includes("node_modules/tollgate/"))
  return {
    text: outputFiles[0]?.text ?? "",
    own: own.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0)
  }
}

describe("the package, from outside of the repository", () => {
  beforeAll(install)
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

  it("brings few packages, no script that runs when it is installed, and little of its own (P1, P2)", () => {
    assert.isBelow(installed.length, 60)
    assert.notIncludeMembers(Object.keys(manifest.scripts), ["preinstall", "install", "postinstall"])
    const own = fs
      .readdirSync(at("node_modules/tollgate"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath, entry.name)).size, 0)
    assert.isBelow(own / 1e6, 23)
    const licenses = fs.readFileSync(at("node_modules/tollgate/dist/LICENSES"), "utf8")
    for (const name of ["@effect/cli", "ajv", "diff", "htmlparser2", "undici"]) {
      assert.match(licenses, new RegExp(`^${name} \\S+ \\(.*\\)$`, "m"))
    }
  })

  it("compiles every sample, and can name each requirement and error that an export has, with all declarations checked (P2)", async () => {
    assert.isAbove(samples.length, 9)
    const examples = entries.map((entry) => ({
      name: `example-${path.basename(sourceOf(entry), ".ts")}`,
      source: exampleOf(fs.readFileSync(sourceOf(entry), "utf8"))
    }))
    examples.push({ name: "frontend", source: fs.readFileSync("examples/frontend.ts", "utf8") })
    const inferred = (await Promise.all(entries.map(namesOf))).flat()
    assert.isAbove(inferred.length, 100)
    for (const [name, source] of inferred) fs.writeFileSync(at(name), source)
    for (const [, source = ""] of fs.readFileSync("README.md", "utf8").matchAll(/```ts\n(.*?)```/gs)) {
      if (/^export /m.test(source)) examples.push({ name: `readme-${examples.length}`, source })
    }
    for (const { name, source } of [...samples, ...examples]) {
      assert.isAbove(source.length, 100, name)
      fs.writeFileSync(at(`${name}.ts`), source)
    }
    fs.copyFileSync("test/fixtures/consumer/inferred.ts", at("inferred.ts"))
    const names = [...samples, ...examples, { name: "inferred" }].map(({ name }) => `${name}.ts`)
    assert.strictEqual(await compiled([...names, ...inferred.map(([name]) => name)]), "")
    const declarations = fs.readFileSync(at("out/inferred.d.ts"), "utf8")
    assert.include(declarations, "export declare const layer: Layer.Layer<Tools, ")
    assert.include(declarations, "Approvals")
  })

  it("runs every sample of the guide, which prints what is written below it (P2)", async () => {
    for (const { name, prints } of samples) {
      const { stderr, stdout } = await run(process.execPath, [at(`out/${name}.js`)], { cwd: folder })
      assert.deepStrictEqual({ name, stdout, stderr }, { name, stdout: prints, stderr: "" })
    }
  })

  it("says what it is without the codes of its requirements, wherever a reader comes by (P2)", () => {
    const types = at("node_modules/tollgate/dist/types")
    const coded = fs
      .readdirSync(types, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".d.ts") && !name.startsWith("vendor"))
      .filter((name) => /\([A-Z]\d{1,2}(?:, [A-Z]\d{1,2})*\)/.test(fs.readFileSync(path.join(types, name), "utf8")))
    assert.deepStrictEqual(coded, [])
  })

  it("loads no package as a whole when it is imported, and nothing of @effect/ai (P2)", async () => {
    const load =
      'import * as fs from "node:fs"; export const load = (url, context, next) => (fs.writeSync(1, `${url}\\n`), next(url, context))'
    const source = [
      'import { register } from "node:module"',
      `register("data:text/javascript," + encodeURIComponent(${JSON.stringify(load)}))`,
      'await import("tollgate")'
    ]
    fs.writeFileSync(at("loaded.mjs"), source.join("\n"))
    const { stdout } = await run(process.execPath, [at("loaded.mjs")], { cwd: folder })
    const loaded = stdout.split("\n").map((url) => url.replace(/^.*\/node_modules\//, ""))
    assert.isAbove(loaded.length, 100)
    assert.deepStrictEqual(
      loaded.filter((name) => /^(?:@effect\/ai\/|(?:effect|@effect\/[a-z-]+)\/dist\/esm\/index\.js$)/.test(name)),
      []
    )
  })

  it("fetches the packages that tools need when they are used, and has all of them then (P2)", async () => {
    const source = [
      'import * as fs from "node:fs"',
      'import { createRequire } from "node:module"',
      'await import("tollgate")',
      "const require = createRequire(import.meta.url)",
      'const fetched = Object.keys(require.cache).filter((file) => file.includes("/tollgate/dist/"))',
      'const dist = new URL("node_modules/tollgate/dist/", import.meta.url)',
      'const files = fs.readdirSync(new URL("lazy", dist))',
      "const isSame = (one, other) =>",
      '  typeof other === "function" ? one.name === other.name && one.prototype === other.prototype',
      '    : typeof other !== "object" || other === null ? one === other',
      "    : Object.keys(other).every((key) => one[key] === other[key])",
      "const others = []",
      "for (const file of files) {",
      '  const [stand, real] = [await import(new URL(`lazy/${file}`, dist)), require(new URL(`lib/${file.replace(/js$/, "cjs")}`, dist).pathname)]',
      '  const names = Object.keys(stand).filter((name) => name !== "module.exports")',
      "  others.push(...names.filter((name) => !isSame(stand[name], real[name])).map((name) => `${file} ${name}`))",
      "}",
      "process.stdout.write(JSON.stringify({ fetched, files: files.length, others }))"
    ]
    fs.writeFileSync(at("fetched.mjs"), source.join("\n"))
    const { stdout } = await run(process.execPath, [at("fetched.mjs")], { cwd: folder })
    const { fetched, files, others } = JSON.parse(stdout) as Record<"fetched" | "files" | "others", unknown>
    assert.deepStrictEqual([fetched, others], [[], []])
    assert.isAbove(files as number, 5)
  })

  it("is required from CommonJS as well (P2)", async () => {
    fs.writeFileSync(at("required.cjs"), 'process.stdout.write(typeof require("tollgate").Tool.make)')
    const { stdout } = await run(process.execPath, [at("required.cjs")], { cwd: folder })
    assert.strictEqual(stdout, "function")
  })

  it("has a protocol that needs nothing of Node, and leaves out what is not used (P2)", async () => {
    const protocol = await bundled('export * from "tollgate/protocol"', "browser")
    assert.notMatch(protocol.text, /(?:from|require\(|import\() *"(?:node:|fs|path|crypto)/)
    const whole = await bundled('import * as all from "tollgate"; console.log(all)', "node")
    const one = await bundled('import { concurrency } from "tollgate"; console.log(concurrency)', "node")
    assert.isBelow(one.own, whole.own / 20)
  })
})
