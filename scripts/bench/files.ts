// @effect-diagnostics processEnv:off - runs git as the user does
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import { ofFile } from "../../src/cli/prompt/suggest.ts"
import { projectFiles } from "../../src/host/projectFiles.ts"
import * as Builtin from "../../src/tools/Builtin.ts"

const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", [...args], { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })

/** A repository with so many files, of which every tenth is not tracked; removed with the scope. */
export const repositoryOf = (files: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-bench-files-")))
      const write = (at: number) => fs.writeFileSync(`${root}/part-${at % 100}/file-${at}.ts`, "")
      for (let part = 0; part < 100; part++) fs.mkdirSync(`${root}/part-${part}`)
      for (let at = 0; at < files; at++) if (at % 10 > 0) write(at)
      git(root, "init", "--quiet")
      git(root, "add", "--all")
      for (let at = 0; at < files; at += 10) write(at)
      return root
    }),
    (root) => Effect.sync(() => fs.rmSync(root, { recursive: true, force: true }))
  )

const timed = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.suspend(() => {
    const start = performance.now()
    return Effect.map(self, () => performance.now() - start)
  })

/** Milliseconds from a word behind an `@` to the files for it, none of which is known yet. */
export const completing = (root: string): Effect.Effect<number> => {
  const typed = "see @file-77"
  return Effect.gen(function* () {
    const context = yield* Effect.context<Effect.Effect.Context<typeof projectFiles>>()
    const files = Effect.provide(projectFiles, context)
    return yield* timed(
      Effect.filterOrDieMessage(
        ofFile(typed, typed.length, files),
        (found) => found?.items.some(({ word }) => word === "part-77/file-77.ts") === true,
        "The file was not found."
      )
    )
  }).pipe(
    Effect.provide(Builtin.layerUnsandboxed({ workspace: { root, home: os.homedir(), trusted: false } })),
    Effect.orDie
  )
}

/** Milliseconds that git takes to print the same list. */
export const gitsList = (root: string): Effect.Effect<number> =>
  timed(Effect.sync(() => git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")))
