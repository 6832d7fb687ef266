import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { NoProfile } from "../config/ConfigError.ts"
import { Configuration } from "../config/Configuration.ts"
import { assumedOutput } from "../cost/Accounts.ts"
import * as ConfiguredModels from "../model/ConfiguredModels.ts"
import type { Models } from "../model/Models.ts"
import { bounded } from "../model/Profile.ts"
import * as RoutingProgram from "../model/RoutingProgram.ts"
import { Processes } from "../process/Processes.ts"
import { areSet } from "./budgets.ts"
import * as LazyHttpClient from "./LazyHttpClient.ts"
import type { Surroundings } from "./Surroundings.ts"
import { userProgram, Workplaces } from "./Workplaces.ts"

/** The programs of the user that see and change which profile serves. */
const routing = Effect.gen(function* () {
  const { settings } = yield* Configuration
  const programs = settings.routing?.hooks ?? []
  if (programs.length === 0) return []
  const processes = Context.get(yield* Layer.build(Processes.layer), Processes)
  const program = yield* userProgram
  return programs.map(({ command, ...options }) => RoutingProgram.make(processes, { ...program(command), ...options }))
})

/** The models of the configuration; it must name at least one. */
export const models: Layer.Layer<Models, NoProfile, Configuration | Surroundings> = Layer.unwrapScoped(
  Effect.gen(function* () {
    const { preferred, profiles, secret, settings } = yield* Configuration
    // What is reserved for an answer is what its server holds to.
    const known = areSet(settings)
      ? Object.fromEntries(Object.entries(profiles).map(([name, one]) => [name, bounded(one, assumedOutput)]))
      : profiles
    const options = { routing: yield* routing, weights: settings.routing?.weights ?? {} }
    return ConfiguredModels.layer(known, yield* preferred, secret, options).pipe(
      Layer.provide(LazyHttpClient.layer),
      Layer.provide(NodeFileSystem.layer)
    )
  })
).pipe(Layer.provide(Workplaces.layer))
