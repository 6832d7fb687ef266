import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { type CallError, Tools } from "../agent/Tools.ts"
import { Approvals } from "../approval/Approvals.ts"
import { Audit } from "../audit/Audit.ts"
import type { PatternRejected } from "../approval/Rule.ts"
import { Configuration } from "../config/Configuration.ts"
import { Trust } from "../config/Trust.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { CallRequest } from "../gate/CallRequest.ts"
import type { Toolset, ToolsetInvalid } from "../gate/Toolset.ts"
import { Memory } from "../memory/Memory.ts"
import { Processes } from "../process/Processes.ts"
import type { Place, ProjectGone, ProjectTools } from "../runtime/Projects.ts"
import type { Sandbox } from "../sandbox/Sandbox.ts"
import type { SandboxUnavailable } from "../sandbox/SandboxUnavailable.ts"
import type { BoundaryInvalid } from "../policy/path/PathContext.ts"
import { Workspace } from "../tools/Workspace.ts"
import * as HookProcesses from "../tool/HookProcesses.ts"
import type { HookRunner } from "../tool/HookRunner.ts"
import { lazily } from "./lazily.ts"
import * as ProjectConfig from "./ProjectConfig.ts"
import { whileTrusted } from "./ProjectHooks.ts"
import type { Stack } from "./Stack.ts"
import { Surroundings } from "./Surroundings.ts"
import * as ToolServices from "./ToolServices.ts"

/** A directory with the tools, rules, hooks and sandbox of its sessions. */
export interface Project extends ProjectTools {
  /** What it brought, and whether the user trusts that. */
  readonly config: ProjectConfig.ProjectConfig
  /** Where its commands run. */
  readonly sandbox: Effect.Effect<Sandbox["Type"], SandboxUnavailable>
}

/** Why a project cannot be made. */
export type ProjectFailure =
  ProjectGone | BoundaryInvalid | SandboxUnavailable | PatternRejected | ToolsetInvalid | DatabaseError

/** What the tools of a project may require. */
export type Provided = ToolServices.ToolServices | HookRunner | Memory | Approvals | Audit

/** Seals the tools of a project behind its stack. */
export type Seal<E, R> = (stack: Stack) => Effect.Effect<Toolset<E, R>, ToolsetInvalid>

/** What all projects of a host have in common. */
export interface ProjectParts<E, R> {
  readonly seal: Seal<E, R>
  readonly stack: (config: ProjectConfig.ProjectConfig) => Stack
  readonly detected: Effect.Effect<Sandbox["Type"]>
}

/** A toolset whose requirements are made with its first call. */
const later = <E, R, A, E2>(toolset: Toolset<E, R>, requirements: Layer.Layer<A, E2>) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const context = yield* lazily(Layer.buildWithScope(requirements, scope))
    const call = (request: CallRequest) =>
      Effect.flatMap(context, (built) => Effect.provide(toolset.call(request), built))
    return { ...toolset, call } satisfies Toolset<E | E2, Exclude<R, A>>
  })

/** Makes the project of a place, until the scope ends. */
export const make = <E extends CallError, R>(
  { detected, seal, stack }: ProjectParts<E, R>,
  place: Place
): Effect.Effect<
  Project,
  ProjectFailure,
  Exclude<R, Provided> | Approvals | Audit | Memory | Trust | Configuration | Surroundings | Scope.Scope
> =>
  Effect.gen(function* () {
    const { home, settings } = yield* Configuration
    const surroundings = yield* Surroundings
    const approvals = yield* Approvals
    const { directory, project } = place
    const config = yield* ProjectConfig.read(project)
    const workspace = yield* Effect.provide(
      Workspace,
      Workspace.layer(ToolServices.workspaceOf({ directory, home, settings }))
    )
    const trust = yield* Trust
    /** What is trusted now: a change of the file ends that, also for sessions that are open. */
    const current = Effect.provideService(ProjectConfig.read(project), Trust, trust).pipe(
      Effect.orElseSucceed((): ProjectConfig.ProjectConfig => ({ ...config, trusted: false, settings: {} })),
      Effect.map((now) => ProjectConfig.rulesOf(now, settings, place))
    )
    const rules = yield* approvals.project({
      current,
      directory: project,
      root: directory,
      home: home.user,
      ...ProjectConfig.rulesOf(config, settings, place)
    })
    const sandbox = yield* ToolServices.sandboxOf(settings, directory, detected)
    const { target = "detect" } = settings.sandbox ?? {}
    const env = ToolServices.ownEnvironment(settings, surroundings.env, [directory, project])
    const hooks = whileTrusted({
      config,
      env,
      home,
      // They are programs of this machine, so no container and no other machine has them.
      sandbox: target === "container" || target === "ssh" ? detected : sandbox
    }).pipe(Layer.provide(HookProcesses.layer({ cwd: directory, env })), Layer.provide(Processes.layer))
    const given = Layer.mergeAll(
      Layer.succeed(Approvals, approvals),
      Layer.succeed(Audit, yield* Audit),
      Layer.succeed(Memory, yield* Memory)
    )
    const services = ToolServices.layer({ settings, env: surroundings.env, sandbox, workspace })
    const toolset = yield* later(yield* seal(stack(config)), Layer.mergeAll(services, hooks, given))
    const tools = yield* Effect.provide(Tools, Tools.layer(toolset))
    return { ...place, config, rules, sandbox, tools }
  })
