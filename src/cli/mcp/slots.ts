import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Configuration } from "../../config/Configuration.ts"
import { serversOf } from "../../host/ProjectConfig.ts"
import { Surroundings } from "../../host/Surroundings.ts"
import { webOf } from "../../host/webOf.ts"
import { ownEnvironment } from "../../host/ToolServices.ts"
import type { KnownServer } from "../../mcp/KnownServer.ts"
import * as ServerSlot from "../../mcp/ServerSlot.ts"
import { directoryOf, type ServerState, stateOf } from "../../mcp/StateFile.ts"
import { Processes } from "../../process/Processes.ts"
import { place, projectConfig } from "../here.ts"
import { similar } from "../Guard.ts"
import { UsageError } from "../Outcome.ts"

/** The servers that sessions begun here would have. */
export const knownServers = Effect.zipWith(projectConfig, Configuration, (config, { settings }) =>
  serversOf(config, settings)
)

/** The server of that name. */
export const named = (name: string) =>
  Effect.flatMap(knownServers, (all): Effect.Effect<KnownServer, UsageError> => {
    const found = all.find((server) => server.name === name)
    if (found !== undefined) return Effect.succeed(found)
    const names = all.map((server) => server.name)
    const near = similar(name, names)
    const hint =
      near !== undefined
        ? `Did you mean ${near}?`
        : names.length === 0
          ? "None is configured; tollgate mcp add NAME -- COMMAND adds one."
          : `Known: ${names.join(", ")}.`
    return new UsageError({ reason: `Unknown MCP server ${JSON.stringify(name.slice(0, 80))}. ${hint}` })
  })

/** The files of a server. */
export const stateFor = (server: Pick<KnownServer, "name" | "origin">) =>
  Effect.zipWith(place, Configuration, ({ project }, { home }): ServerState =>
    stateOf(directoryOf(home.database), server, project)
  )

/** A server as a session begun here would start it. */
export const slotOf = (known: KnownServer) =>
  Effect.gen(function* () {
    const { settings } = yield* Configuration
    const { env } = yield* Surroundings
    const { directory, project } = yield* place
    const scope = yield* Effect.scope
    const processes = Context.get(yield* Layer.buildWithScope(Processes.layer, scope), Processes)
    return yield* ServerSlot.make({
      known,
      state: yield* stateFor(known),
      surroundings: {
        directory,
        environment: ownEnvironment(settings, env, [directory, project]),
        variable: (name) => Option.map(Option.fromNullable(env[name]), (value) => Redacted.make(value)),
        processes,
        network: webOf(settings).rules
      },
      listed: () => Effect.void
    })
  })
