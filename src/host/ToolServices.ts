import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Checkpoints, type CheckpointStore } from "../checkpoint/Checkpoints.ts"
import { directories, type Home } from "../config/Home.ts"
import type { Settings } from "../config/Settings.ts"
import { environment } from "../process/Environment.ts"
import { Processes } from "../process/Processes.ts"
import * as Configured from "../sandbox/Configured.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import type { SandboxUnavailable } from "../sandbox/SandboxUnavailable.ts"
import * as Builtin from "../tools/Builtin.ts"
import { timeouts } from "../tools/shell/ShellSettings.ts"
import { Workspace, type WorkspaceOptions } from "../tools/Workspace.ts"
import { webOf } from "./webOf.ts"
import type { Surroundings } from "./Surroundings.ts"

/** Where tools work, and by whose word. */
export interface ToolServicesOptions {
  /** Physical and absolute. */
  readonly directory: string
  readonly home: Home
  readonly settings: Settings
  readonly env: Surroundings["Type"]["env"]
  /** Where what file tools replace is kept; nowhere if unset. */
  readonly checkpoints?: CheckpointStore
  readonly sandbox: Effect.Effect<Sandbox["Type"], SandboxUnavailable>
  /** Made when the project is, so that no other directory can take its place until a tool is called. */
  readonly workspace: Workspace["Type"]
}

/** Where file tools work; our own files are out of their reach, but for the results kept for the session that calls. */
export const workspaceOf = ({
  directory,
  home,
  settings
}: Pick<ToolServicesOptions, "directory" | "home" | "settings">): WorkspaceOptions => ({
  root: directory,
  extraRoots: settings.roots ?? [],
  home: home.user,
  stateDirs: directories(home),
  readable: [home.results],
  trusted: false
})

/** The environment of the user's own programs: what lies in the directories that tools write is none of them. */
export const ownEnvironment = (
  { path, roots = [] }: Settings,
  env: Surroundings["Type"]["env"],
  written: ReadonlyArray<string>
): Readonly<Record<string, string>> =>
  environment({ ...env, ...(path && { PATH: path.join(":") }) }, {}, [...written, ...roots])

/** Where commands run: detected with the first one, and tried out at once where it is named. */
export const sandboxOf = (
  { sandbox = {} }: Settings,
  directory: string,
  detected: Effect.Effect<Sandbox["Type"]>
): Effect.Effect<Effect.Effect<Sandbox["Type"], SandboxUnavailable>, SandboxUnavailable, Scope.Scope> => {
  if ((sandbox.target ?? "detect") === "detect") return Effect.succeed(detected)
  const named = Layer.provide(Configured.layer(sandbox, directory), Processes.layer)
  return Effect.map(Layer.build(named), (context) => Effect.provide(Sandbox, context))
}

/** What this machine has, found out with the first use and once. */
export const detectedSandbox: Effect.Effect<Effect.Effect<Sandbox["Type"]>, never, Scope.Scope> = Effect.flatMap(
  Effect.scope,
  (scope) =>
    Effect.cached(
      Effect.flatMap(Layer.buildWithScope(Layer.provide(Sandbox.layerDetect, Processes.layer), scope), (context) =>
        Effect.provide(Sandbox, context)
      )
    )
)

/** What tools require, confined to a place; our own state is out of their reach. */
export const layer = ({
  checkpoints,
  env,
  sandbox,
  settings,
  workspace
}: Pick<ToolServicesOptions, "checkpoints" | "env" | "sandbox" | "settings" | "workspace">) =>
  Layer.suspend(() => {
    const { rules, unasked } = webOf(settings)
    return Layer.mergeAll(
      Layer.effect(Sandbox, sandbox),
      Layer.succeed(Workspace, workspace),
      Layer.succeed(Checkpoints, checkpoints),
      Builtin.layerServices({
        network: rules,
        unaskedHosts: unasked,
        shell: { network: settings.sandbox?.network ?? false, ...timeouts(settings.timeouts ?? {}) },
        environment: environment({ ...env, ...(settings.path && { PATH: settings.path.join(":") }) })
      })
    )
  }).pipe(Layer.provideMerge(NodeFileSystem.layer))

/** What every tool of a project may require besides its memory, its approvals and its hooks. */
export type ToolServices = Layer.Layer.Success<ReturnType<typeof layer>>
