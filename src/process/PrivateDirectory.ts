import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/** A directory that only the user can enter, made when it is first needed, and again if a cleaner took it. */
export interface PrivateDirectory {
  /** Throws what the file system throws. */
  readonly ensure: () => string
  readonly existing: () => string | undefined
}

export const make: Effect.Effect<PrivateDirectory, never, Scope.Scope> = Effect.gen(function* () {
  let made: string | undefined
  const existing = () => (made !== undefined && fs.existsSync(made) ? made : undefined)
  const ensure = () => (made = existing() ?? fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-")))
  yield* Effect.addFinalizer(() => Effect.sync(() => made && fs.rmSync(made, { recursive: true, force: true })))
  return { ensure, existing }
})
