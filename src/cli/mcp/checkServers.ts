import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { isProgram, sandboxOf } from "../../mcp/KnownServer.ts"
import { standingWords } from "../../ui/serverWords.ts"
import { knownServers, slotOf } from "./slots.ts"

/** How it stands with the MCP servers that sessions begun here would have; none is started. */
export const checkServers = Effect.gen(function* () {
  const known = yield* knownServers
  return yield* Effect.forEach(known, (server) =>
    Effect.gen(function* () {
      const { manifest, standings } = yield* slotOf(server)
      const found = yield* Effect.either(Effect.zip(standings, manifest))
      const what = `MCP server ${server.name}`
      if (Either.isLeft(found)) return { state: "missing", what, detail: found.left.message } as const
      const [all, listed] = found.right
      const where = !isProgram(server.server)
        ? server.server.url
        : sandboxOf(server) === undefined
          ? "runs with your rights, outside the sandbox"
          : "runs in the sandbox"
      const detail = `${listed === undefined ? "has never been asked what it offers" : standingWords(all)} · ${where}`
      const differs = listed === undefined || all.some(({ state }) => state !== "approved")
      return differs
        ? ({ state: "note", what, detail, mend: [`tollgate mcp trust ${server.name}`] } as const)
        : ({ state: "good", what, detail } as const)
    })
  )
}).pipe(Effect.scoped)
