// Packages that depend on nothing of ours become files of their own, which are read when something of theirs is first used.
import * as path from "node:path"
import * as esbuild from "esbuild"

const fileName = (name) => `${name.replaceAll(/[@/.]+/g, "-").replace(/^-/, "")}.cjs`

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
    `export * from ${JSON.stringify(name)}`
  ].join("\n")

/** Builds the files themselves. */
export const buildLeaves = (names, common, outdir) =>
  Promise.all(
    names.map(async (name) =>
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
