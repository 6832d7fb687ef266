import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as esbuild from "esbuild"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

/** The user that owns nothing, as most systems number it. */
const nobody = 65_534

describe("a program in the sandbox of a user who is not root", () => {
  it.scopedLive("gains nothing by closing directories to the look at what is protected in them (S3, U13)", () =>
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.sync(() => fs.realpathSync(fs.mkdtempSync("/var/tmp/tollgate-closing-"))),
        (place) => Effect.sync(() => fs.rmSync(place, { recursive: true, force: true, maxRetries: 5 }))
      )
      const outfile = path.join(directory, "closing.mjs")
      const banner = {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"
      }
      esbuild.buildSync({
        entryPoints: [path.join(import.meta.dirname, "closing.ts")],
        outfile,
        banner,
        bundle: true,
        platform: "node",
        format: "esm",
        external: ["better-sqlite3"],
        logLevel: "error"
      })
      const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
      fs.chmodSync(directory, 0o755)
      if (user.uid !== undefined) fs.chownSync(directory, user.uid, user.uid)
      const env = { PATH: path.dirname(process.execPath) + ":/usr/bin:/bin", HOME: directory }
      const options = { cwd: directory, encoding: "utf8", env, ...user } as const
      const said = JSON.parse(execFileSync(process.execPath, [outfile, directory], options))
      if (said.isolated !== true) return
      assert.match(said.closing, /opened again: .*/)
      assert.include(said.tried, "content of .git/HEAD")
      assert.notInclude(said.tried, "content of app/.env")
      assert.deepStrictEqual(said.contents, said.kept)
      assert.deepStrictEqual(said.created, [])
      for (const name of [".git", ".envrc", ".vscode"]) assert.include(said.creating, `src/${name}.unapproved`)
      assert.include(said.own, "nothing")
      assert.include(said.own, "unchanged")
      assert.strictEqual(said.mode, 0o311)
      assert.include(said.shut, "shell/workspace-unlisted")
    })
  )
})
