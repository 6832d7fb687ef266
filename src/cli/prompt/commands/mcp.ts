import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Host } from "../../../host/Host.ts"
import { standingWords, tokensOf } from "../../../ui/serverWords.ts"
import { command } from "./Command.ts"

export const mcp = command({
  name: "mcp",
  group: "tools",
  summary: "show the MCP servers, and what of them is approved",
  details: "tollgate mcp adds, compares, approves and removes servers.",
  duringTask: true,
  run: (_, prompt) =>
    Effect.gen(function* () {
      const host = yield* Host
      const { servers } = yield* host.project(yield* host.locate(prompt.directory))
      const rows = yield* Effect.forEach(servers.all, ({ known, standings }) =>
        Effect.map(
          Effect.either(standings),
          Either.match({
            onLeft: ({ message }) => `${known.name}  ${message}`,
            onRight: (all) => `${known.name}  ${standingWords(all)} · ${tokensOf(all)} tokens`
          })
        )
      )
      const lines = [...rows, ...servers.problems]
      yield* prompt.say(
        lines.length === 0 ? "no MCP server · tollgate mcp add NAME -- COMMAND adds one" : lines.join("\n")
      )
    }).pipe(Effect.scoped)
})
