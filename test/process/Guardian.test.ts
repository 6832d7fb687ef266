import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Context from "effect/Context"
import * as esbuild from "esbuild"
import * as ChildProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { sharing } from "../support/sharing.ts"
import { eventually, isAlive, readyIn, stay, tagged } from "./support.ts"

/** The fixture as one file. */
class Bundle extends Context.Tag("test/Bundle")<Bundle, string>() {
  static readonly layer = Layer.scoped(
    Bundle,
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "test-"))),
        (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
      )
      const outfile = path.join(folder, "runtime.cjs")
      const entry = fileURLToPath(new URL("./fixtures/runtime.ts", import.meta.url))
      yield* Effect.promise(() =>
        esbuild.build({
          entryPoints: [entry],
          outfile,
          bundle: true,
          platform: "node",
          format: "cjs",
          logLevel: "error"
        })
      )
      yield* Effect.addFinalizer(() => Effect.promise(() => esbuild.stop()))
      return outfile
    })
  )
}

/** A runtime of its own that runs a shell text, once that has said `ready` as often as asked. */
const runtime = (script: string, times: number, env: Record<string, string>) =>
  Effect.gen(function* () {
    const bundle = yield* Bundle
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        ChildProcess.spawn(process.execPath, [bundle, script], { env, stdio: ["ignore", "pipe", "inherit"] })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    let seen = ""
    child.stdout.on("data", (bytes: Buffer) => (seen += bytes.toString()))
    yield* eventually(() => readyIn(seen).length >= times)
    const pids = readyIn(seen)
    return { kill: (signal: NodeJS.Signals) => child.kill(signal), alive: () => pids.filter(isAlive) }
  })

sharing(Bundle.layer)("a runtime that is killed", (it) => {
  const trees = [
    ["a command", "SIGKILL", stay, 1],
    ["a command", "SIGTERM", stay, 1],
    ["a command that ignores signals", "SIGKILL", `trap '' HUP INT TERM; ${stay}`, 1],
    ["background processes", "SIGKILL", `${stay} & ${stay} & wait`, 2],
    ["a daemon in a session of its own", "SIGKILL", `setsid -f ${stay}; ${stay}`, 2],
    ["a child with an environment of its own", "SIGKILL", `env -i PATH="$PATH" ${stay} & wait`, 1]
  ] as const
  for (const [what, signal, script, times] of trees)
    it.scoped(`by ${signal} takes ${what} with it (R9)`, () =>
      Effect.gen(function* () {
        const { env, living } = yield* tagged
        const { kill, alive } = yield* runtime(script, times, env)
        assert.strictEqual(alive().length, times)
        kill(signal)
        yield* eventually(() => alive().length + living().length === 0)
      })
    )
})
