import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { removeTree } from "./removeTree.ts"
import { isGone, quietly } from "./Temporary.ts"

/** A directory that only the user can enter, made when it is first needed, and again if a cleaner took it. */
export interface PrivateDirectory {
  /** Throws what the file system throws. */
  readonly ensure: () => string
  readonly existing: () => string | undefined
}

const named = /^tollgate-(\d+)-/

/** Removes what killed processes left behind, as far as it can; files of other users stay. */
const sweep = (parent: string): void =>
  quietly(() => {
    for (const name of fs.readdirSync(parent)) {
      const [, pid] = named.exec(name) ?? []
      if (pid === undefined || !isGone(Number(pid))) continue
      quietly(() => {
        const place = path.join(parent, name)
        const stat = fs.lstatSync(place, { throwIfNoEntry: false })
        if (stat?.isDirectory() === true && stat.uid === process.getuid?.()) {
          fs.rmSync(place, { recursive: true, force: true })
        }
      })
    }
  })

let swept = false

/** A fresh one; throws what the file system throws. Its name says whose it is. */
const fresh = (): string => {
  const parent = fs.realpathSync(os.tmpdir())
  if (!swept) sweep(parent)
  swept = true
  return fs.mkdtempSync(path.join(parent, `tollgate-${process.pid}-`))
}

export const make: Effect.Effect<PrivateDirectory, never, Scope.Scope> = Effect.gen(function* () {
  let made: string | undefined
  const existing = () => (made !== undefined && fs.existsSync(made) ? made : undefined)
  const ensure = () => (made = existing() ?? fresh())
  yield* Effect.addFinalizer(() => (made === undefined ? Effect.void : removeTree(made)))
  return { ensure, existing }
})

/** One that is there from the start until the scope closes; `fill` may throw. */
export const filled = <E>(
  fill: (directory: string) => void,
  fail: (error: unknown) => E
): Effect.Effect<string, E, Scope.Scope> =>
  Effect.tap(Effect.acquireRelease(Effect.try({ try: fresh, catch: fail }), removeTree), (directory) =>
    Effect.try({ try: () => fill(directory), catch: fail })
  )
