import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Configuration } from "../config/Configuration.ts"
import type { Program } from "../process/Program.ts"
import type { Place } from "../runtime/Projects.ts"
import { Surroundings } from "./Surroundings.ts"
import { ownEnvironment } from "./ToolServices.ts"

/** The directories that tools of any session write at the moment. */
export class Workplaces extends Context.Tag("tollgate/host/Workplaces")<Workplaces, Set<Place>>() {
  static readonly layer = Layer.sync(Workplaces, () => new Set<Place>())
}

/**
 * How a program of the user is started that serves all projects: what lies in any of them is none of the programs that it finds.
 * The projects are those of the moment when it starts.
 */
export const userProgram: Effect.Effect<
  (command: readonly [string, ...ReadonlyArray<string>]) => Program,
  never,
  Configuration | Surroundings | Workplaces
> = Effect.gen(function* () {
  const { settings } = yield* Configuration
  const surroundings = yield* Surroundings
  const workplaces = yield* Workplaces
  return ([file, ...args]) => ({
    file,
    args,
    cwd: surroundings.directory,
    env: () => {
      const written = [...workplaces].flatMap(({ directory, project }) => [directory, project])
      return ownEnvironment(settings, surroundings.env, [surroundings.directory, ...written])
    }
  })
})
