import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import type { Absent, View } from "./Plan.ts"
import { system } from "./Plan.ts"

/**
 * Empty files and directories for protected paths that do not exist, since only what exists can be mounted. Concurrent
 * commands share one; it goes with the last, because removing it would unmount it for the others.
 */
export interface Placeholders {
  /** The file system without the placeholders. */
  readonly view: View
  readonly hold: (absent: ReadonlyArray<Absent>) => Effect.Effect<void, never, Scope.Scope>
}

interface Held {
  count: number
  readonly remove: () => void
}

const quietly = (step: () => void): boolean => {
  try {
    step()
    return true
  } catch {
    return false
  }
}

const nothing = (): void => {}

/** Removes it again, unless another process created it first. */
const place = ({ path, kind }: Absent): (() => void) => {
  if (kind === "directory") return quietly(() => fs.mkdirSync(path)) ? () => fs.rmdirSync(path) : nothing
  if (!quietly(() => fs.writeFileSync(path, "", { flag: "wx" }))) return nothing
  return () => {
    if (fs.lstatSync(path).size === 0) fs.unlinkSync(path)
  }
}

export const make = (): Placeholders => {
  const places = new Map<string, Held>()
  const take = (absent: Absent): void => {
    const held = places.get(absent.path)
    if (held) held.count++
    else places.set(absent.path, { count: 1, remove: place(absent) })
  }
  const give = ({ path }: Absent): void => {
    const held = places.get(path)
    if (held === undefined || --held.count > 0) return
    places.delete(path)
    quietly(held.remove)
  }
  return {
    view: { kind: (path) => (places.has(path) ? "absent" : system.kind(path)), target: system.target },
    hold: (absent) =>
      Effect.acquireRelease(
        Effect.sync(() => absent.forEach(take)),
        () => Effect.sync(() => absent.forEach(give))
      )
  }
}
