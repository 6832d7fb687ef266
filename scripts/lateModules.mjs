// Modules that are evaluated when something of them is first used, and not with the module that imports them.
import * as path from "node:path"
import * as esbuild from "esbuild"

/** The names that a module exports. */
const exportsOf = async (file) => {
  const { metafile } = await esbuild.build({
    entryPoints: [file],
    outdir: path.dirname(file),
    format: "esm",
    write: false,
    metafile: true
  })
  return Object.values(metafile.outputs).flatMap(({ exports }) => exports)
}

const standIn = (file, names) =>
  [
    `let found`,
    `const real = () => (found ??= require(${JSON.stringify(file)}))`,
    ...names.map((name) => `Object.defineProperty(exports, "${name}", { enumerable: true, get: () => real().${name} })`)
  ].join("\n")

/** The plugin that puts stand-ins where `isLate` says so, by the paths of the module and of the one that imports it. */
export const lateModules = (isLate) => ({
  name: "late-modules",
  setup(build) {
    const root = build.initialOptions.absWorkingDir
    const relative = (file) => path.relative(root, file)
    build.onResolve({ filter: /^\.\.?\// }, ({ importer, kind, path: name, resolveDir }) => {
      const file = path.join(resolveDir, name)
      return kind === "import-statement" && isLate(relative(file), relative(importer))
        ? { path: file, namespace: "late" }
        : undefined
    })
    build.onLoad({ filter: /.*/, namespace: "late" }, async ({ path: file }) => ({
      contents: standIn(file, await exportsOf(file)),
      resolveDir: path.dirname(file)
    }))
  }
})
