import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Configuration } from "../../config/Configuration.ts"
import { serversOf } from "../../host/ProjectConfig.ts"
import { Surroundings } from "../../host/Surroundings.ts"
import { webOf } from "../../host/webOf.ts"
import { confinedServer } from "../../host/confinedServer.ts"
import * as ToolServices from "../../host/ToolServices.ts"
import type { KnownServer } from "../../mcp/KnownServer.ts"
import * as ServerSlot from "../../mcp/ServerSlot.ts"
import * as Servers from "../../mcp/Servers.ts"
import { type ServerState, stateOf } from "../../mcp/StateFile.ts"
import { stateDirectory } from "../../mcp/stateDirectory.ts"
import * as TouchPolicy from "../../mcp/TouchPolicy.ts"
import { Processes } from "../../process/Processes.ts"
import { Workspace } from "../../tools/Workspace.ts"
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
    stateOf(stateDirectory(home.database), server, project)
  )

/** What servers have around them in sessions begun here. */
const around = Effect.gen(function* () {
  const { home, settings } = yield* Configuration
  const { env } = yield* Surroundings
  const { directory, project } = yield* place
  const sandbox = yield* ToolServices.sandboxOf(settings, directory, yield* ToolServices.detectedSandbox)
  const { context } = yield* Effect.provide(
    Workspace,
    Workspace.layer(ToolServices.workspaceOf({ directory, home, settings }))
  )
  const scope = yield* Effect.scope
  return {
    boundary: context,
    confine: confinedServer(sandbox, () => context),
    directory,
    project,
    state: stateDirectory(home.database),
    environment: ToolServices.ownEnvironment(settings, env, [directory, project]),
    variables: env,
    network: webOf(settings).rules,
    processes: Effect.map(Layer.buildWithScope(Processes.layer, scope), Context.get(Processes))
  }
})

/** A server as a session begun here would start it. */
export const slotOf = (known: KnownServer) =>
  Effect.gen(function* () {
    const { confine, directory, environment, network, processes, variables } = yield* around
    return yield* ServerSlot.make({
      known,
      state: yield* stateFor(known),
      surroundings: {
        confine,
        directory,
        environment,
        variable: (name) => Option.map(Option.fromNullable(variables[name]), (value) => Redacted.make(value)),
        processes: yield* processes,
        network
      },
      listed: () => Effect.void
    })
  })

/** The tools of servers that sessions begun here would have, by what the servers offered last; none is started. */
export const serverTools = Effect.gen(function* () {
  const known = yield* knownServers
  if (known.length === 0) return []
  const { boundary, project, state, ...rest } = yield* around
  const { tools } = yield* Servers.make({
    ...rest,
    known,
    state: (server) => stateOf(state, server, project),
    policy: TouchPolicy.make({ boundary, network: rest.network })
  })
  return tools
})
