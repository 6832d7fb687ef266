// Builds dist: the command line as a launcher and a bundle, the page of its server, the library and its types.
import { execFileSync } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import { isBuiltin } from "node:module"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as esbuild from "esbuild"
import { buildBrowser } from "./browser.mjs"
import { buildLeaves, lazyLeaves } from "./lazyLeaves.mjs"
import { leanSchemas } from "./leanSchemas.mjs"
import { licenses } from "./licenses.mjs"
import { buildLibrary, completeTypes, entries } from "./library.mjs"

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..")
const target = path.join(root, "dist")

/** What dist was built from, in words that another build can compare. */
const stampFile = path.join(root, ".dist-stamp")
const stamp = () => {
  const hash = crypto.createHash("sha256").update(JSON.stringify([process.version, process.argv.slice(2)]))
  for (const place of ["bin", "scripts", "src", "package.json", "package-lock.json", "tsconfig.json"]) {
    const names = fs.statSync(path.join(root, place)).isDirectory()
      ? fs.readdirSync(path.join(root, place), { recursive: true }).map((name) => path.join(place, name))
      : [place]
    for (const name of names.sort())
      if (fs.statSync(path.join(root, name)).isFile())
        hash.update(`${name}\0`).update(fs.readFileSync(path.join(root, name)))
  }
  return hash.digest("hex")
}
const built = stamp()
const isBuilt = () => {
  const wanted = ["tollgate.cjs", ...(process.argv.includes("--types") ? ["types"] : [])]
  try {
    return (
      wanted.every((name) => fs.existsSync(path.join(target, name))) && fs.readFileSync(stampFile, "utf8") === built
    )
  } catch {
    return false
  }
}
if (isBuilt()) process.exit(0)
fs.rmSync(stampFile, { force: true })

/** Built aside and then put in place as a whole, so that nobody meets a half of it. */
const dist = fs.mkdtempSync(path.join(root, ".dist-"))
const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))

/** Counts tokens with a WebAssembly file that no bundle finds; the runtime has the provider's own figures. */
const withoutTokenizer = {
  name: "without-tokenizer",
  setup(build) {
    build.onResolve({ filter: /^@anthropic-ai\/tokenizer$/ }, (args) => ({ path: args.path, namespace: "absent" }))
    build.onLoad({ filter: /.*/, namespace: "absent" }, () => ({
      contents: "export const getTokenizer = () => { throw new Error('no tokenizer in this build') }"
    }))
  }
}

/** Makes values for property tests out of schemas; no command does. */
const withoutArbitraries = {
  name: "without-arbitraries",
  setup(build) {
    build.onResolve({ filter: /^fast-check$/ }, (args) => ({ path: args.path, namespace: "unused" }))
    build.onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: "module.exports = {}" }))
  }
}

/** Takes from Node's own modules what is used of them, once, where each import would copy all of their names. */
const fewBuiltins = {
  name: "few-builtins",
  setup(build) {
    build.onResolve({ filter: /^(?:node:)?[a-z_/]+$/ }, ({ kind, path: name }) =>
      kind === "import-statement" && isBuiltin(name)
        ? { path: name.replace(/^(?:node:)?/, "node:"), namespace: "builtin" }
        : undefined
    )
    build.onLoad({ filter: /.*/, namespace: "builtin" }, async ({ path: name }) => ({
      contents: [
        `const all = require("${name}")`,
        `const the = (name) => all[name]`,
        `export default all`,
        ...Object.keys(await import(name))
          .filter((key) => key !== "default" && key !== "module.exports")
          .map((key) => `export const ${key} = /* @__PURE__ */ the("${key}")`)
      ].join("\n")
    }))
  }
}

const leaves = [
  "@agentclientprotocol/sdk",
  "undici",
  "re2js",
  "unbash",
  "string-width",
  "ajv",
  "ajv/dist/2020.js",
  "ajv-formats",
  "htmlparser2",
  "diff",
  "highlight.js/lib/common",
  "ignore",
  "canonicalize",
  "ipaddr.js",
  "marked",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/server",
  "@modelcontextprotocol/server/stdio"
]

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  legalComments: "none",
  logLevel: "warning"
}

const builtIn = licenses(root)

const options = {
  ...common,
  minify: true,
  format: "cjs",
  external: Object.keys(manifest.optionalDependencies),
  // They are required, which is faster than Node's other loader.
  supported: { "dynamic-import": false },
  plugins: [fewBuiltins, withoutTokenizer, withoutArbitraries, leanSchemas, lazyLeaves(leaves), builtIn.plugin]
}

process.on("exit", () => fs.rmSync(dist, { recursive: true, force: true }))

const command = esbuild.build({
  ...options,
  entryPoints: { main: "bin/tollgate.ts", hook: "bin/hook.ts" },
  outdir: dist,
  outExtension: { ".js": ".cjs" },
  define: { "import.meta.url": "undefined", "import.meta.dirname": "__dirname" },
  metafile: true
})

/** What users have themselves. */
const external = [...Object.keys(manifest.peerDependencies), ...Object.keys(manifest.optionalDependencies)]

const library = buildLibrary({
  absWorkingDir: root,
  external,
  leaves,
  outdir: dist,
  plugins: [withoutTokenizer, builtIn.plugin]
})

const [{ metafile }] = await Promise.all([
  command,
  library,
  buildLeaves(leaves, { ...common, plugins: [builtIn.plugin] }, dist),
  buildBrowser(root, path.join(dist, "browser"), [builtIn.plugin])
])
builtIn.write(path.join(dist, "LICENSES"))
// Read by its place, from wherever in dist that is done.
for (const name of ["words.bin", "words.LICENSE"])
  fs.copyFileSync(path.join(root, "src/search", name), path.join(dist, name))

/** Files that the launcher reads byte by byte, which has to be letter by letter. */
for (const name of ["main.cjs", "hook.cjs", ...fs.readdirSync(path.join(dist, "lib")).map((leaf) => `lib/${leaf}`)]) {
  const found = /[^\0-\x7f].{0,40}/.exec(fs.readFileSync(path.join(dist, name), "utf8"))
  if (found !== null) throw new Error(`${name} has a character that is not ASCII; escape it in its source: ${found[0]}`)
}

/** Names the code of the bundle, so that what was compiled from other code is never taken for it. */
const digest = crypto.createHash("sha256")
for (const name of [
  "main.cjs",
  "hook.cjs",
  ...fs
    .readdirSync(path.join(dist, "lib"))
    .sort()
    .map((leaf) => `lib/${leaf}`)
])
  digest.update(`${name}\0`).update(fs.readFileSync(path.join(dist, name)))

await esbuild.build({
  ...common,
  minify: true,
  format: "cjs",
  entryPoints: {
    ask: "src/hook/daemon/ask.ts",
    listen: "src/cli/start/listenEarly.ts",
    prompt: "src/cli/start/instantPrompt.ts",
    start: "src/hook/daemon/start.ts"
  },
  outdir: dist,
  outExtension: { ".js": ".cjs" }
})
await esbuild.build({
  ...common,
  bundle: false,
  minify: true,
  format: "cjs",
  entryPoints: { tollgate: "scripts/launcher.cjs" },
  outdir: dist,
  outExtension: { ".js": ".cjs" },
  define: {
    VERSION: JSON.stringify(manifest.version),
    BUNDLE: JSON.stringify(digest.digest("hex").slice(0, 16))
  }
})

if (process.argv.includes("--metafile")) fs.writeFileSync(path.join(dist, "metafile.json"), JSON.stringify(metafile))
fs.writeFileSync(
  path.join(dist, "help.txt"),
  execFileSync(process.execPath, [path.join(dist, "main.cjs"), "--help"], { env: { ...process.env, FORCE_COLOR: "0" } })
)
fs.chmodSync(path.join(dist, "tollgate.cjs"), 0o755)
/** Declarations take longer than all the rest and are for who publishes the library; without the flag the old ones stay. */
const types = path.join(dist, "types")
if (process.argv.includes("--types")) {
  const config = path.join(dist, "tsconfig.json")
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: path.join(root, "src"),
    outDir: types
  }
  const files = entries.map((entry) => path.join(root, "src", `${entry}.ts`))
  fs.writeFileSync(
    config,
    JSON.stringify({ extends: path.join(root, "tsconfig.json"), compilerOptions, files, include: [] })
  )
  execFileSync(process.execPath, [path.join(root, "node_modules/typescript/bin/tsc"), "-p", config], {
    cwd: root,
    stdio: "inherit"
  })
  fs.rmSync(config)
  completeTypes(types, root, external)
} else if (fs.existsSync(path.join(target, "types"))) fs.cpSync(path.join(target, "types"), types, { recursive: true })

fs.chmodSync(dist, 0o755)
const old = `${dist}-old`
if (fs.existsSync(target)) fs.renameSync(target, old)
fs.renameSync(dist, target)
fs.rmSync(old, { recursive: true, force: true })
fs.writeFileSync(stampFile, built)
