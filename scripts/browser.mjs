// Builds the page that the server serves: hashed files, of which none knows Effect or Node.
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { gzipSync } from "node:zlib"
import * as esbuild from "esbuild"

/** Kilobytes, compressed, of what a page loads at first, and of everything. */
const firstLimit = 60
const allLimit = 110

/** Modules of Node that shared files import for functions that the page has no use for: what is used of them fails the build. */
const withoutNode = {
  name: "without-node",
  setup(build) {
    build.onResolve({ filter: /^node:/ }, (args) => ({ path: args.path, external: true, sideEffects: false }))
  }
}

const sizeOf = (file) => gzipSync(fs.readFileSync(file)).length

const kilobytes = (bytes) => (bytes / 1024).toFixed(1)

/** Builds into a folder and answers with the sizes in bytes, compressed. */
export const buildBrowser = async (root, outdir, plugins = []) => {
  const source = path.join(root, "src/browser")
  fs.mkdirSync(outdir, { recursive: true })
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { main: "src/browser/main.tsx", style: "src/browser/style.css" },
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: ["es2023", "chrome117", "firefox119", "safari17"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    metafile: true,
    plugins: [withoutNode, ...plugins]
  })
  for (const [name, { imports, inputs }] of Object.entries(metafile.outputs)) {
    const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    const foreign = used.find(([input]) => /node_modules\/(?:effect|@effect)\//.test(input))
    const builtin = imports.find(({ path: imported }) => imported.startsWith("node:"))
    if (foreign !== undefined) throw new Error(`${name}: the page must not contain ${foreign[0]}`)
    if (builtin !== undefined) throw new Error(`${name}: the page cannot import ${builtin.path}`)
  }
  /** What a file imports at once, and what that does, in the order in which it is found. */
  const eagerOf = (file, known = new Set()) => {
    for (const { kind, path: imported } of metafile.outputs[file].imports) {
      if (kind !== "import-statement" || known.has(imported)) continue
      known.add(imported)
      eagerOf(imported, known)
    }
    return [...known]
  }
  const outputOf = (source) => Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source)
  const [main] = outputOf("src/browser/main.tsx")
  const [style] = outputOf("src/browser/style.css")
  const at = (file) => path.join(root, file)
  const named = (file) => `/assets/${path.basename(file)}`
  const icon = fs.readFileSync(path.join(source, "icon.svg"))
  const iconName = `icon-${crypto.createHash("sha256").update(icon).digest("hex").slice(0, 8)}.svg`
  fs.writeFileSync(path.join(outdir, iconName), icon)
  const eager = eagerOf(main)
  const preloads = eager.map((file) => `<link rel="modulepreload" href="${named(file)}" />`)
  const html = fs
    .readFileSync(path.join(source, "index.html"), "utf8")
    .replace('"ICON"', `"${named(iconName)}"`)
    .replace('"STYLE"', `"${named(style)}"`)
    .replace('"SCRIPT"', `"${named(main)}"`)
    .replace("    <!-- PRELOADS -->\n", preloads.map((line) => `    ${line}\n`).join(""))
  fs.writeFileSync(path.join(outdir, "index.html"), html)
  const first = [...[main, style, ...eager].map(at), path.join(outdir, iconName), path.join(outdir, "index.html")]
  const sum = (files) => files.reduce((bytes, file) => bytes + sizeOf(file), 0)
  const sizes = { first: sum(first), all: sum(fs.readdirSync(outdir).map((name) => path.join(outdir, name))) }
  if (sizes.first > firstLimit * 1024 || sizes.all > allLimit * 1024) {
    throw new Error(
      `the page is too large: ${kilobytes(sizes.first)} KB at first (limit ${firstLimit}), ${kilobytes(sizes.all)} KB in all (limit ${allLimit})`
    )
  }
  return sizes
}
