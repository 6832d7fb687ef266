// @effect-diagnostics asyncFunction:off - bundles a program for a process of its own
import { build } from "esbuild"
import * as fs from "node:fs"
import * as path from "node:path"

/** A program of the fixtures as one file that Node runs; `remove` takes it away. */
export const bundled = async (name: string): Promise<{ readonly file: string; readonly remove: () => void }> => {
  const root = process.cwd()
  const cache = path.join(root, "node_modules/.cache/tollgate")
  fs.mkdirSync(cache, { recursive: true })
  const file = path.join(cache, `${name}-${process.pid}.cjs`)
  await build({
    entryPoints: [path.join(root, `test/fixtures/programs/${name}.ts`)],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["better-sqlite3", "@photostructure/sqlite"],
    logLevel: "error"
  })
  return { file, remove: () => fs.rmSync(file, { force: true }) }
}
