import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { SealClient } from "../agent/ClientFunctions.ts"
import * as NamedWorker from "../agent/NamedWorker.ts"
import { type CallError, Tools } from "../agent/Tools.ts"
import { Approvals } from "../approval/Approvals.ts"
import * as ProjectRules from "../approval/ProjectRules.ts"
import { Audit } from "../audit/Audit.ts"
import type { PatternRejected } from "../approval/Rule.ts"
import type { RuleStore } from "../approval/RuleStore.ts"
import { make as makeCheckpoints } from "../checkpoint/Checkpoints.ts"
import { Configuration } from "../config/Configuration.ts"
import { Trust } from "../config/Trust.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import * as DefaultStack from "../gate/DefaultStack.ts"
import * as Toolset from "../gate/Toolset.ts"
import type { KnownServer } from "../mcp/KnownServer.ts"
import * as Servers from "../mcp/Servers.ts"
import { stateOf } from "../mcp/StateFile.ts"
import { stateDirectory } from "../mcp/stateDirectory.ts"
import * as TouchPolicy from "../mcp/TouchPolicy.ts"
import { Memory } from "../memory/Memory.ts"
import * as ProjectMemory from "../memory/ProjectMemory.ts"
import { BackgroundCommands, make as makeBackground } from "../process/BackgroundCommands.ts"
import { Processes } from "../process/Processes.ts"
import type { Brief } from "../runtime/Briefing.ts"
import type { Place, ProjectGone, ProjectTools } from "../runtime/Projects.ts"
import type { Sandbox } from "../sandbox/Sandbox.ts"
import type { SandboxStatus } from "../sandbox/SandboxPolicy.ts"
import type { SandboxUnavailable } from "../sandbox/SandboxUnavailable.ts"
import type { BoundaryInvalid } from "../policy/path/PathContext.ts"
import { Search } from "../search/Search.ts"
import { heldRoots } from "../tools/Confinement.ts"
import { make as makeRewinding } from "../tools/files/rewinding.ts"
import { Workspace } from "../tools/Workspace.ts"
import type { DynamicTool } from "../tool/DynamicTool.ts"
import * as HookProcesses from "../tool/HookProcesses.ts"
import type { HookRunner } from "../tool/HookRunner.ts"
import { confinedServer } from "./confinedServer.ts"
import { headBranch } from "./headBranch.ts"
import * as Instructions from "./Instructions.ts"
import * as Equipment from "./Equipment.ts"
import { later } from "./later.ts"
import { lazily } from "./lazily.ts"
import { lazy } from "../system/lazy.ts"
import * as NamedServers from "./NamedServers.ts"
import { webOf } from "./webOf.ts"
import * as ProjectConfig from "./ProjectConfig.ts"
import { noFiles, projectFiles, type ProjectFiles } from "./projectFiles.ts"
import { whileTrusted } from "./ProjectHooks.ts"
import * as Situation from "./Situation.ts"
import type { Stack } from "./Stack.ts"
import { Surroundings } from "./Surroundings.ts"
import * as ToolServices from "./ToolServices.ts"

/** A directory with the tools, rules, hooks and sandbox of its sessions. */
export interface Project extends ProjectTools {
  /** What it brought, and whether the user trusts that. */
  readonly config: ProjectConfig.ProjectConfig
  /** The instructions that its models get, as they are now. */
  readonly instructions: Effect.Effect<Instructions.Instructions>
  /** Where its commands go on after their calls. */
  readonly background: BackgroundCommands["Type"]
  /** What git tells of its directory now. */
  readonly git: Effect.Effect<Situation.GitState>
  /** The files below its directory that a person may mean. */
  readonly files: Effect.Effect<ProjectFiles>
  /** Where its commands run. */
  readonly sandbox: Effect.Effect<Sandbox["Type"], SandboxUnavailable>
  /** Directories in which no command in a sandbox can change anything. */
  readonly heldRoots: Effect.Effect<ReadonlyArray<string>>
  /** The MCP servers of the configuration whose tools it has. */
  readonly servers: Servers.Servers
  /** Takes in servers that a frontend names besides. */
  readonly nameServers: NamedServers.NamedServers["name"]
  /** Gives the tools of one session what its frontend has for them. */
  readonly equip: Equipment.Equipment["equip"]
}

/** Why a project cannot be made. */
export type ProjectFailure =
  | ProjectGone
  | BoundaryInvalid
  | SandboxUnavailable
  | PatternRejected
  | Toolset.ToolsetInvalid
  | NamedWorker.NamedWorkerInvalid
  | DatabaseError

/** What the tools of a project may require. */
export type Provided = ToolServices.ToolServices | HookRunner | Memory | Search | Approvals | Audit

/** Seals the tools of a project behind its stack. */
export type Seal<E, R> = (
  stack: Stack,
  /** The tools of the user's MCP servers; a toolset may leave them out. */
  servers: ReadonlyArray<DynamicTool>,
  /** The calls that the prompts and resources of those are. */
  parts: ReadonlyArray<DynamicTool>
) => Effect.Effect<Toolset.Toolset<E, R>, Toolset.ToolsetInvalid>

/** What all projects of a host have in common. */
export interface ProjectParts<E, R> {
  readonly seal: Seal<E, R>
  readonly stack: (config: ProjectConfig.ProjectConfig) => Stack
  readonly detected: Effect.Effect<Sandbox["Type"]>
}

/** Why a sandbox does not hold commands to the workspace, and what to do; nothing if it does. */
const unconfined = ({ detail, isolated }: SandboxStatus, network: boolean): string | undefined =>
  !isolated
    ? `The mode sandboxed needs a sandbox. ${detail} Until then, choose ask or edits.`
    : network
      ? "The mode sandboxed needs a sandbox without network. Set sandbox.network to false, or choose ask or edits."
      : undefined

/** Makes the project of a place, until the scope ends. */
export const make = <E extends CallError, R>(
  { detected, seal, stack }: ProjectParts<E, R>,
  place: Place
): Effect.Effect<
  Project,
  ProjectFailure,
  | Exclude<R, Provided>
  | Approvals
  | RuleStore
  | Audit
  | Memory
  | Search
  | Trust
  | Configuration
  | Surroundings
  | Scope.Scope
> =>
  Effect.gen(function* () {
    const { home, profiles, settings } = yield* Configuration
    const surroundings = yield* Surroundings
    const approvals = yield* Approvals
    const { directory, project } = place
    const config = yield* ProjectConfig.read(project)
    const workspace = yield* Effect.provide(
      Workspace,
      Workspace.layer(ToolServices.workspaceOf({ directory, home, settings }))
    )
    const trust = yield* Trust
    const rulesOf = ProjectConfig.rulesIn(settings, place)
    /** What is trusted now: a change of the file ends that, also for sessions that are open. */
    const current = Effect.provideService(ProjectConfig.read(project), Trust, trust).pipe(
      Effect.orElseSucceed((): ProjectConfig.ProjectConfig => ({ ...config, trusted: false, settings: {} })),
      Effect.map(rulesOf)
    )
    const sandbox = yield* ToolServices.sandboxOf(settings, directory, detected)
    const rules = yield* ProjectRules.make({
      current,
      unconfined: Effect.map(
        Effect.either(sandbox),
        Either.match({
          onLeft: ({ message }) => `The mode sandboxed needs a sandbox. ${message}`,
          onRight: ({ describe }) => unconfined(describe, settings.sandbox?.network === true)
        })
      ),
      directory: project,
      root: directory,
      home: home.user,
      ...rulesOf(config)
    })
    const { target = "detect" } = settings.sandbox ?? {}
    const env = ToolServices.ownEnvironment(settings, surroundings.env, [directory, project])
    const hooks = whileTrusted({
      config,
      env,
      home,
      // They are programs of this machine, so no container and no other machine has them.
      sandbox: target === "container" || target === "ssh" ? detected : sandbox
    }).pipe(Layer.provide(HookProcesses.layer({ cwd: directory, env })), Layer.provide(Processes.layer))
    const background = yield* makeBackground
    const remembered = yield* Memory
    const memory = ProjectMemory.make(remembered, settings.memory)
    const given = Layer.mergeAll(
      Layer.succeed(Approvals, approvals),
      Layer.succeed(Audit, yield* Audit),
      Layer.succeed(Memory, remembered),
      Layer.succeed(Search, yield* Search),
      Layer.succeed(BackgroundCommands, background)
    )
    const checkpoints = makeCheckpoints({ directory: home.checkpoints })
    const services = ToolServices.layer({ checkpoints, settings, env: surroundings.env, sandbox, workspace })
    const scope = yield* Effect.scope
    const requirements = yield* lazily(Layer.buildWithScope(Layer.mergeAll(services, hooks, given), scope))
    const around = stack(config)
    const equipment = Equipment.make()
    const touchPolicy = lazy(() => TouchPolicy.make({ boundary: workspace.context, network: webOf(settings).rules }))
    const stateOfServer = (server: KnownServer) => stateOf(stateDirectory(home.database), server, project)
    const openServers = (known: ReadonlyArray<KnownServer>) =>
      Servers.make({
        known,
        state: stateOfServer,
        confine: confinedServer(sandbox, () => workspace.context),
        directory,
        environment: env,
        variables: surroundings.env,
        network: webOf(settings).rules,
        processes: Effect.map(Layer.buildWithScope(Processes.layer, scope), Context.get(Processes)),
        policy: {
          judge: (touches) => touchPolicy().judge(touches),
          preview: (touches, words) => touchPolicy().preview(touches, words)
        }
      })
    const servers = yield* openServers(ProjectConfig.serversOf(config, settings))
    const toolset = later(yield* seal(around, servers.tools, servers.parts), requirements, equipment)
    const sealClient: SealClient = (tools) =>
      Toolset.make(tools, { middleware: DefaultStack.make(around) }).pipe(
        Effect.flatMap((sealed) => Effect.provide(Tools, Tools.layer(later(sealed, requirements, equipment))))
      )
    const sealed = yield* Effect.provide(Tools, Tools.layer(toolset))
    const own: typeof sealed = {
      ...sealed,
      functions: (declared) => sealed.functions(declared).filter(({ name }) => !servers.isWithdrawn(name))
    }
    const { name: nameServers, tools } = yield* NamedServers.make({
      own,
      seal: sealClient,
      state: stateOfServer,
      open: openServers
    })
    const git = Effect.flatMap(requirements, (built) => Effect.provide(Situation.gitState(place), built)).pipe(
      Effect.orElseSucceed((): Situation.GitState => "state unknown")
    )
    const files = Effect.flatMap(requirements, (built) => Effect.provide(projectFiles, built)).pipe(
      Effect.orElseSucceed(() => noFiles)
    )
    const held = Effect.sync(() => heldRoots(workspace.context))
    const situation = Situation.placeSection(place).pipe(Effect.provideService(Surroundings, surroundings))
    const { instructions: wanted = true, surroundings: told = true } = settings.briefing ?? {}
    const instructions = wanted ? Instructions.read(place, home) : Effect.succeed(Instructions.none)
    const brief: Brief = (policy) =>
      Effect.map(
        Effect.all(
          {
            found: instructions,
            sections: told
              ? Effect.all(
                  [
                    situation,
                    Effect.map(git, Situation.gitSection),
                    Situation.sandboxSection(sandbox, settings.sandbox, held)
                  ],
                  {
                    concurrency: "unbounded"
                  }
                )
              : Effect.succeed([])
          },
          { concurrency: "unbounded" }
        ),
        ({ found, sections }) => ({
          sections: [
            ...sections,
            ...(told ? [Situation.modeSection(policy)] : []),
            { name: "instructions", text: Instructions.render(found) }
          ],
          files: Instructions.filesOf(found),
          problems: found.problems
        })
      )
    const workers = { ...config.settings.workers, ...settings.workers }
    const known = { tools: [...tools.tools.keys()], profiles: Object.keys(profiles) }
    const invalid = NamedWorker.invalid(workers, known)
    if (invalid !== undefined) return yield* invalid
    return {
      ...place,
      config,
      rules,
      sandbox,
      heldRoots: held,
      tools,
      sealClient,
      workers,
      instructions,
      git,
      files,
      branch: headBranch(place.project),
      brief,
      memory,
      background,
      servers,
      nameServers,
      equip: equipment.equip,
      checkpoints: Equipment.rewindingIn(makeRewinding(workspace, checkpoints), equipment)
    }
  })
