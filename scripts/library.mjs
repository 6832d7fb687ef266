// Builds the library twice: as few files for Node, which reads them fast, over packages that are fetched when they are used, and as a
// file for each module for bundlers, which leave out what is not used, over the same packages in one file each.
import * as fs from "node:fs"
import { isBuiltin } from "node:module"
import * as path from "node:path"
import * as esbuild from "esbuild"
import { rollup } from "rollup"
import { buildStands, standFile } from "./lazyLeaves.mjs"

/** The entry points, by the name of their module, which is that of their export as well. */
export const entries = ["index", "ai", "anthropic", "openai", "protocol", "sqlite", "testing"]

/** Takes packages from `vendor`, a sibling of what is built, and notes them. */
const vendor = (isExternal, vendored, pathTo) => ({
  name: "vendor",
  setup(build) {
    build.onResolve({ filter: /^[^.]/ }, ({ importer, kind, path: name }) => {
      if (kind === "entry-point") return undefined
      if (isBuiltin(name) || isExternal(name)) return { path: name, external: true }
      vendored.add(name)
      return { path: `${pathTo(importer)}/${fileOf(name)}.js`, external: true }
    })
  }
})

/** Leaves each module where it is, under the name that it is built as. */
const apart = {
  name: "apart",
  setup(build) {
    build.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ kind, path: name }) =>
      kind === "entry-point" ? undefined : { path: name.replace(/\.ts$/, ".js"), external: true }
    )
  }
}

const fileOf = (name) => name.replace(/^@/, "").replace(/\.js$/, "").replaceAll("/", "-")

/** What the package exports, by name, as a CommonJS one says nothing of its names to a bundler. */
const vendorEntry = async (name) => {
  const names = Object.keys(await import(name)).filter((one) => one !== "module.exports")
  return `export { ${names.join(", ")} } from "${name}"`
}

/** Reads our modules, and has packages where Node finds them: with the user, or beside what is built. */
const ours = (isExternal, { leaves, stood, vendored }) => {
  const left = (id) => ({ id, external: "absolute" })
  const beside = (name) => {
    vendored.add(name)
    return left(`../vendor/${fileOf(name)}.js`)
  }
  const stand = (name) => {
    stood.add(name)
    return left(`../lazy/${standFile(name)}`)
  }
  const isLeft = (name) => isBuiltin(name) || isExternal(name)
  return {
    name: "ours",
    resolveId: (name, importer) =>
      importer === undefined || name.startsWith(".")
        ? undefined
        : isLeft(name)
          ? left(name)
          : leaves.includes(name)
            ? stand(name)
            : beside(name),
    resolveDynamicImport: (name) => (name.startsWith(".") ? undefined : isLeft(name) ? left(name) : beside(name)),
    load: (file) =>
      file.endsWith(".json")
        ? `export default ${JSON.stringify({ version: JSON.parse(fs.readFileSync(file, "utf8")).version })}`
        : undefined,
    transform: (text, file) =>
      file.endsWith(".ts")
        ? esbuild.transform(text, {
            loader: "ts",
            target: "node20",
            sourcemap: "external",
            sourcefile: file
          })
        : undefined
  }
}

/** What is loaded with these modules. */
const loadedWith = (files, getModuleInfo) => {
  const found = new Set(files)
  for (const file of found) for (const imported of getModuleInfo(file)?.importedIds ?? []) found.add(imported)
  return found
}

/**
 * Builds for Node, which takes longer to open a file than to read it: one for what browsers may have as well, one for what is imported
 * with the library besides, and few others. Gives the files of the modules.
 */
const buildForNode = async (absWorkingDir, outdir, plugin) => {
  const fileOfEntry = (entry) => path.join(absWorkingDir, "src", `${entry}.ts`)
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((entry) => [entry, fileOfEntry(entry)])),
    plugins: [plugin],
    onwarn: ({ message }) => {
      throw new Error(message)
    }
  })
  let groups
  const manualChunks = (file, { getModuleInfo }) => {
    groups ??= ["protocol", "index"].map((entry) => loadedWith([fileOfEntry(entry)], getModuleInfo))
    const [shared, library] = groups
    if (!file.endsWith(".ts") || entries.some((entry) => file === fileOfEntry(entry))) return undefined
    return shared.has(file) ? "shared" : library.has(file) ? "library" : undefined
  }
  await bundle.write({
    dir: outdir,
    format: "es",
    sourcemap: true,
    manualChunks,
    minifyInternalExports: false,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js"
  })
  const files = bundle.watchFiles.filter((file) => file.endsWith(".ts"))
  await bundle.close()
  return files.map((file) => path.relative(absWorkingDir, file))
}

/** Builds into `outdir`; `external` are the packages that users have themselves, `leaves` those that are fetched when they are used. */
export const buildLibrary = async ({ absWorkingDir, external, leaves, outdir, plugins }) => {
  const isExternal = (name) => external.some((one) => name === one || name.startsWith(`${one}/`))
  const common = {
    absWorkingDir,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    legalComments: "none",
    logLevel: "warning"
  }
  const [stood, vendored] = [new Set(), new Set()]
  const files = await buildForNode(
    absWorkingDir,
    path.join(outdir, "esm"),
    ours(isExternal, { leaves, stood, vendored })
  )
  await buildStands(stood, outdir)
  const toVendor = path.join(absWorkingDir, "vendor")
  await esbuild.build({
    ...common,
    entryPoints: files,
    outbase: "src",
    outdir: path.join(outdir, "modules"),
    plugins: [apart, vendor(isExternal, vendored, (importer) => path.relative(path.dirname(importer), toVendor))]
  })
  const contents = new Map(
    await Promise.all([...vendored].map(async (name) => [fileOf(name), await vendorEntry(name)]))
  )
  await esbuild.build({
    ...common,
    minify: true,
    splitting: true,
    entryPoints: Object.fromEntries([...contents.keys()].map((name) => [name, `vendor:${name}`])),
    outdir: path.join(outdir, "vendor"),
    external,
    // What of a package is CommonJS asks for the modules of Node in the way of CommonJS.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);'
    },
    plugins: [
      ...plugins,
      {
        name: "packages",
        setup(build) {
          build.onResolve({ filter: /^vendor:/ }, ({ path: name }) => ({ path: name.slice(7), namespace: "vendor" }))
          build.onLoad({ filter: /.*/, namespace: "vendor" }, ({ path: name }) => ({
            contents: contents.get(name),
            resolveDir: absWorkingDir
          }))
        }
      }
    ]
  })
}

const typesOf = (exported) =>
  typeof exported === "string"
    ? exported.endsWith(".d.ts") || exported.endsWith(".d.mts")
      ? exported
      : undefined
    : Object.values(exported ?? {})
        .map(typesOf)
        .find(Boolean)

const eachDeclaration = (folder, change) => {
  for (const name of fs.readdirSync(folder, { recursive: true })) {
    if (!/\.d\.[mc]?ts$/.test(name)) continue
    const file = path.join(folder, name)
    fs.writeFileSync(file, change(fs.readFileSync(file, "utf8"), file))
  }
}

const declarationsOf = (place) => [
  place.replace(/\.([mc]?)[jt]s$/, ".d.$1ts"),
  `${place}.d.ts`,
  path.join(place, "index.d.ts")
]

/** Removes the declarations that no entry leads to: nobody can name what is in them. */
const keepReached = (types) => {
  const reached = new Set()
  const pending = entries.map((entry) => path.join(types, `${entry}.d.ts`))
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (reached.has(file) || !fs.existsSync(file)) continue
    reached.add(file)
    const names = fs.readFileSync(file, "utf8").matchAll(/(?:from|import|require)\s*\(?\s*(["'])(\.\.?\/[^"']+)\1/g)
    for (const [, , name] of names) pending.push(...declarationsOf(path.resolve(path.dirname(file), name)))
  }
  for (const name of fs.readdirSync(types, { recursive: true })) {
    const file = path.join(types, name)
    if (fs.statSync(file).isFile() && !reached.has(file)) fs.rmSync(file)
  }
}

/**
 * Lets the declarations in `types` name each other as what is built does, and brings those of the packages in `vendor` that they
 * speak of; what no entry leads to is left out.
 */
export const completeTypes = (types, absWorkingDir, external) => {
  const vendorTypes = path.join(types, "vendor")
  const brought = new Map()
  const bring = (name) => {
    const home = path.join(absWorkingDir, "node_modules", name)
    const manifest = JSON.parse(fs.readFileSync(path.join(home, "package.json"), "utf8"))
    const entry = typesOf(manifest.exports["."])
    const folder = path.dirname(entry)
    fs.cpSync(path.join(home, folder), path.join(vendorTypes, name), {
      recursive: true,
      filter: (file) => fs.statSync(file).isDirectory() || /\.d\.[mc]?ts$/.test(file)
    })
    return path.join(vendorTypes, name, path.basename(entry)).replace(/\.d\.([mc]?)ts$/, ".$1js")
  }
  const isLeft = (name) => isBuiltin(name) || external.some((one) => name === one || name.startsWith(`${one}/`))
  /** Types of packages that only the command line has; nobody else makes or takes one. */
  const opaque = /^import type \{ ([^}]*) \} from "@modelcontextprotocol\/.*";$/
  const renamed = (line, file) =>
    line
      .replace(opaque, (_, names) =>
        names
          .split(", ")
          .map((name) => `type ${name} = any;`)
          .join("\n")
      )
      .replaceAll(/(["'])(\.\.?\/[^"']+)\.ts\1/g, "$1$2.js$1")
      .replaceAll(/(from |import\()"([^".][^"]*)"/g, (whole, before, name) => {
        if (isLeft(name)) return whole
        if (!brought.has(name)) brought.set(name, bring(name))
        return `${before}"${path.relative(path.dirname(file), brought.get(name)).replace(/^(?!\.)/, "./")}"`
      })
  eachDeclaration(types, (text, file) =>
    text
      .split("\n")
      .map((line) => (/^ *\*/.test(line) ? line : renamed(line, file)))
      .join("\n")
  )
  keepReached(types)
}
