// @effect-diagnostics processEnv:off - reads the parent's environment, of which children get what they need by name
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { environment, searchPath } from "../process/Environment.ts"
import { Workspace } from "./Workspace.ts"

/** The environment of every program that a tool starts; secrets that one needs are added here by configuration. */
export class ToolEnvironment extends Context.Reference<ToolEnvironment>()("tollgate/tools/ToolEnvironment", {
  defaultValue: (): Readonly<Record<string, string>> => environment(process.env)
}) {
  /** The parent's, with programs looked for in these directories. */
  static readonly layerPath = (directories: ReadonlyArray<string>): Layer.Layer<never> =>
    Layer.sync(ToolEnvironment, () => environment({ ...process.env, PATH: directories.join(":") }))
}

/** The same where a tool works: no program is looked for in the directories that tools write. */
export const environmentHere = Effect.map(
  Effect.all([ToolEnvironment, Workspace]),
  ([environment, { context }]): Readonly<Record<string, string>> => ({
    ...environment,
    PATH: searchPath(environment["PATH"], context.roots)
  })
)
