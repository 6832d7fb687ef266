import * as Effect from "effect/Effect"
import { isReserved, reachesForReserved } from "../../src/tool/reserved.ts"
import type * as Tool from "../../src/tool/Tool.ts"
import { Audit } from "../../src/audit/Audit.ts"

/** The longest name that every provider accepts. */
const maxName = 64

const plain = (text: string): string => text.normalize("NFKC").replaceAll(/[^A-Za-z0-9_-]+/g, "_")

export interface Namespaced {
  /** As the server calls it. */
  readonly original: string
  /** `mcp__SERVER__NAME`. */
  readonly name: string
}

/**
 * The names under which the tools of somebody else's server are registered: never the server's own word alone, so that it
 * can claim neither a built-in name nor a reserved one. Claims are recorded; a name that is taken twice is left out.
 */
export const namespaced = (
  server: string,
  names: ReadonlyArray<string>,
  known: ReadonlyMap<string, Tool.Any>
): Effect.Effect<ReadonlyArray<Namespaced>, never, Audit> =>
  Effect.gen(function* () {
    const audit = yield* Audit
    const taken = new Set<string>(known.keys())
    const found: Array<Namespaced> = []
    for (const original of names) {
      const name = `mcp__${plain(server)}__${plain(original)}`.slice(0, maxName)
      const warn = (reason: string) =>
        audit.record({
          kind: "registration_warning",
          session: "",
          tool: original,
          decided_by: `server ${server}`,
          reason
        })
      if (isReserved(original) || reachesForReserved(original)) yield* warn("the name is reserved for the runtime")
      else if (known.has(original)) yield* warn("the name is that of another tool")
      if (taken.has(name)) {
        yield* warn(`${name} is taken; the tool was left out`)
        continue
      }
      taken.add(name)
      found.push({ original, name })
    }
    return found
  })
