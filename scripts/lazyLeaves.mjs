// Packages that depend on nothing of ours become files of their own, which are read when something of theirs is first used.
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { isDeepStrictEqual } from "node:util"
import * as esbuild from "esbuild"

/** What is in the file of another package: the two have nearly everything in common. */
const joined = new Map([["@modelcontextprotocol/server/stdio", "@modelcontextprotocol/server"]])

const nameOfFile = (name) => `${name.replaceAll(/[@/.]+/g, "-").replace(/^-/, "")}.cjs`

const fileName = (name) => nameOfFile(joined.get(name) ?? name)

const own = (value) => (value === undefined || value === null ? [] : Object.getOwnPropertyNames(value))
const usable = (key) =>
  /^[A-Za-z_$][\w$]*$/.test(key) &&
  !["default", "module.exports", "prototype", "name", "length", "arguments", "caller"].includes(key)

/**
 * A stand-in that fetches the real package when something of it is first used. It is the default export itself, as Node has
 * it for a CommonJS module, and has every named export.
 */
const shim = async (name) => {
  const all = await import(name)
  const named = Object.keys(all).filter(usable)
  const below = own(all.default).filter((key) => usable(key) && !named.includes(key))
  const fetched = (keys, from) =>
    keys.map(
      (key) => `Object.defineProperty(stand, ${JSON.stringify(key)}, { enumerable: true, get: () => ${from}.${key} })`
    )
  return [
    `let found`,
    `const real = () => (found ??= require("./lib/${fileName(name)}"))`,
    `function stand(...args) { return new.target ? Reflect.construct(real().default, args) : Reflect.apply(real().default, this, args) }`,
    ...fetched(named, "real()"),
    ...fetched(below, "real().default"),
    // Packages that were compiled to CommonJS have their default below the module itself.
    ...(own(all.default).includes("default") ? fetched(["default"], "real().default") : []),
    `module.exports = stand`
  ].join("\n")
}

/** The plugin that puts the stand-ins in their place. */
export const lazyLeaves = (names) => ({
  name: "lazy-leaves",
  setup(build) {
    const filter = new RegExp(`^(?:${names.map((name) => name.replaceAll(/[.]/g, "\\.")).join("|")})$`)
    build.onResolve({ filter }, (args) =>
      args.namespace === "leaf" ? undefined : { path: args.path, namespace: "leaf" }
    )
    build.onResolve({ filter: /^\.\/lib\//, namespace: "leaf" }, (args) => ({ path: args.path, external: true }))
    build.onLoad({ filter: /.*/, namespace: "leaf" }, async (args) => ({
      contents: await shim(args.path),
      resolveDir: build.initialOptions.absWorkingDir
    }))
  }
})

const entry = async (name) =>
  [
    "default" in (await import(name)) ? `export { default } from ${JSON.stringify(name)}` : "",
    ...[name, ...joined.keys()]
      .filter((one) => one === name || joined.get(one) === name)
      .map((one) => `export * from ${JSON.stringify(one)}`)
  ].join("\n")

/** Builds the files themselves. */
export const buildLeaves = (names, common, outdir) =>
  Promise.all(
    names
      .filter((name) => !joined.has(name))
      .map(async (name) =>
        esbuild.build({
          ...common,
          minify: true,
          format: "cjs",
          stdin: {
            contents: await entry(name),
            resolveDir: common.absWorkingDir
          },
          outfile: path.join(outdir, "lib", fileName(name))
        })
      )
  )

/** The file of `lazy` that stands for a package. */
export const standFile = (name) => nameOfFile(name).replace(/\.cjs$/, ".js")

/** Values that can be written down. */
const isPlain = (value) => typeof value !== "function" && isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value)

/** A stand-in as a module for Node: functions and classes that it exports fetch the real ones when they are first used. */
const stand = async (name) => {
  const all = await import(name)
  const names = Object.keys(all).filter((key) => key !== "module.exports")
  const standFor = (key) => (isPlain(all[key]) ? JSON.stringify(all[key]) : `standFor(${JSON.stringify(key)})`)
  return [
    `import { createRequire } from "node:module"`,
    `let found`,
    `const real = () => (found ??= createRequire(import.meta.url)("../lib/${fileName(name)}"))`,
    `const standFor = (key) => new Proxy(function () {}, {`,
    `  get: (_, name) => real()[key][name],`,
    `  apply: (_, self, args) => Reflect.apply(real()[key], self, args),`,
    `  construct: (_, args) => Reflect.construct(real()[key], args)`,
    `})`,
    ...names.map((key) =>
      key === "default" ? `export default ${standFor(key)}` : `export const ${key} = ${standFor(key)}`
    )
  ].join("\n")
}

/** Writes those stand-ins. */
export const buildStands = async (names, outdir) => {
  const folder = path.join(outdir, "lazy")
  await fs.mkdir(folder, { recursive: true })
  await Promise.all([...names].map(async (name) => fs.writeFile(path.join(folder, standFile(name)), await stand(name))))
}
