import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as ChildProcess from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import * as PrivateDirectory from "../../src/system/PrivateDirectory.ts"

/** Writes files into a directory until it is killed. */
const writing = `count=0; while :; do count=$((count+1)); : > "$0/$count" || exit; done`

describe("a private directory", () => {
  it.live("ends its scope without a crash where another process still writes into it (R9)", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const place = yield* Effect.map(Scope.extend(PrivateDirectory.make, scope), ({ ensure }) => ensure())
      const child = yield* Effect.acquireRelease(
        Effect.sync(() => ChildProcess.spawn("sh", ["-c", writing, place], { stdio: "ignore" })),
        (child) => Effect.promise(() => (child.kill("SIGKILL"), once(child, "exit")))
      )
      yield* Effect.repeat(
        Effect.sync(() => fs.existsSync(path.join(place, "500"))),
        { until: (isThere) => isThere }
      )
      const exit = yield* Effect.exit(Scope.close(scope, Exit.void))
      child.kill("SIGKILL")
      assert.isTrue(Exit.isSuccess(exit), String(exit))
      yield* Effect.sync(() => fs.rmSync(place, { recursive: true, force: true, maxRetries: 9 }))
    }).pipe(Effect.scoped)
  )

  it.live("is gone with its scope, and where it could not be filled (R9)", () =>
    Effect.gen(function* () {
      let filled = ""
      const fill = (broken: boolean) =>
        PrivateDirectory.filled(
          (directory) => {
            filled = directory
            fs.writeFileSync(path.join(directory, "a"), "a")
            if (broken) throw new Error("full")
          },
          (error) => String(error)
        )
      assert.isTrue(yield* Effect.scoped(Effect.map(fill(false), (place) => fs.existsSync(path.join(place, "a")))))
      assert.isFalse(fs.existsSync(filled))
      assert.strictEqual(yield* Effect.flip(Effect.scoped(fill(true))), "Error: full")
      assert.isFalse(fs.existsSync(filled))
    })
  )
})
