import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import type { CallError } from "../agent/Tools.ts"
import type { Approvals } from "../approval/Approvals.ts"
import type { AuditError } from "../audit/Audit.ts"
import type { Audit } from "../audit/Audit.ts"
import { ClientTools } from "../tool/ClientTools.ts"
import { Disk } from "../approval/Disk.ts"
import type { PatternRejected } from "../approval/Rule.ts"
import type { RuleStore } from "../approval/RuleStore.ts"
import type { ConfigError, NoProfile } from "../config/ConfigError.ts"
import { Configuration, type Flags } from "../config/Configuration.ts"
import { Trust } from "../config/Trust.ts"
import type { Ledger } from "../cost/Ledger.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import * as DefaultStack from "../gate/DefaultStack.ts"
import * as Toolset from "../gate/Toolset.ts"
import { stampOf, stateOf } from "../mcp/StateFile.ts"
import { stateDirectory } from "../mcp/stateDirectory.ts"
import type { Memory } from "../memory/Memory.ts"
import type { Models } from "../model/Models.ts"
import { type Place, type ProjectGone, Projects, ProjectUnavailable } from "../runtime/Projects.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { defaults, RuntimeOptions, type RuntimeSettings } from "../runtime/RuntimeOptions.ts"
import type { SessionStore } from "../runtime/SessionStore.ts"
import type { Search } from "../search/Search.ts"
import type { DynamicTool } from "../tool/DynamicTool.ts"
import type { FileChanges } from "../tool/FileChanges.ts"
import type { Notifications } from "../tool/Notifications.ts"
import type { ProgressBoard } from "../tool/ProgressBoard.ts"
import * as Builtin from "../tools/Builtin.ts"
import { isIgnoredDirectory } from "../tools/files/Ignored.ts"
import { approvals, type Choices } from "./approvals.ts"
import { accounts, booked } from "./budgets.ts"
import { Notice } from "./Notice.ts"
import { locate, revisit } from "./locate.ts"
import { models } from "./models.ts"
import * as Project from "./Project.ts"
import * as ProjectConfig from "./ProjectConfig.ts"
import * as redaction from "./redaction.ts"
import * as sessionFiles from "./sessionFiles.ts"
import * as Stack from "./Stack.ts"
import * as Stores from "./Stores.ts"
import { Surroundings } from "./Surroundings.ts"
import { detectedSandbox } from "./ToolServices.ts"
import { Workplaces } from "./Workplaces.ts"

export type { Project, ProjectFailure, Provided } from "./Project.ts"

/** One user's Tollgate on one machine: its projects, which sessions get their tools, rules and paths from. */
export class Host extends Context.Tag("tollgate/host/Host")<
  Host,
  {
    /** Where sessions begin that name no directory. */
    readonly directory: string
    /** The place that a directory is: two names of one directory are one place. */
    readonly locate: (directory: string) => Effect.Effect<Place, ProjectGone>
    /** The project of a place, made once for all who hold it and anew where what the user trusts of it has changed. */
    readonly project: (place: Place) => Effect.Effect<Project.Project, Project.ProjectFailure, Scope.Scope>
    /** Says what the project of a place that was just located is made of: as long as it is the same, so is the project. */
    readonly stamp: (place: Place) => Effect.Effect<string, DatabaseError>
  }
>() {
  /**
   * All that the command line has: the user's configuration, stores and models, and a runtime with the built-in tools whose
   * sessions have the workspace, rules, hooks and sandbox of their own projects.
   *
   * @example
   * ```ts
   * const live = Host.layer({ directory: process.cwd(), env: process.env })
   * ```
   */
  static readonly layer = (options: HostOptions): Layer.Layer<Services | Configuration, HostFailure> =>
    layerToolset(builtin, options)

  /**
   * The same with tools of your own.
   *
   * @example
   * ```ts
   * const live = Host.layerToolset(
   *   (stack) => Toolset.make([...Builtin.tools, Deploy], { middleware: DefaultStack.make(stack) }),
   *   { directory: process.cwd(), env: process.env }
   * )
   * ```
   */
  static readonly layerToolset = <E extends CallError, R>(
    seal: Project.Seal<E, R>,
    options: HostOptions
  ): Layer.Layer<Services | Configuration, HostFailure, Exclude<R, Project.Provided>> => layerToolset(seal, options)
}

/** What a host gives besides itself. */
export type Services =
  | Host
  | Runtime
  | Approvals
  | Audit
  | SessionStore
  | Ledger
  | RuleStore
  | Trust
  | Memory
  | Search
  | Models
  | Notifications
  | ProgressBoard
  | FileChanges

export interface HostOptions extends Choices {
  /** Where sessions begin that name no directory; absolute. */
  readonly directory: string
  /** The environment that the configuration, the tools and the user's own programs get theirs from, e.g. `process.env`. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Values of the configuration that outweigh the environment and the file. */
  readonly flags?: Flags
  /** Instead of the models of the configuration, which then needs none. */
  readonly models?: Layer.Layer<Models>
  /** How a person learns what they must know although everything goes on; by the log if unset. */
  readonly notice?: (text: string) => Effect.Effect<void>
}

/** Why a host cannot be made. */
export type HostFailure = ConfigError | NoProfile | DatabaseError | AuditError | PatternRejected

/** Seals the built-in tools, and those of MCP servers, behind the stack of a project. */
export const builtin = (stack: Stack.Stack, servers: ReadonlyArray<DynamicTool> = []) =>
  Toolset.make([...Builtin.tools, ...servers], { middleware: DefaultStack.make(stack) })

/** How long an unused project is kept. */
const idle = Duration.minutes(1)

/** How long the user has to answer a question. */
const patience = Duration.minutes(15)

/** What the configuration says of the runtime. */
const runtimeOptions: Layer.Layer<never, never, Configuration> = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { settings } = yield* Configuration
    const wanted = yield* Stack.spans
    const { autoCompact, contextCharacters, maxDepth, maxIterations, maxWorkers, systemPrompt, timeouts } = settings
    const { parallelCalls, parallelWorkers } = settings
    const configured: Partial<RuntimeSettings> = {
      spans: Option.match(wanted, { onNone: () => false, onSome: ({ content }) => (content ? "content" : true) }),
      ...(maxIterations === undefined ? {} : { maxIterations }),
      ...(contextCharacters === undefined ? {} : { contextCharacters }),
      ...(autoCompact === undefined ? {} : { autoCompact }),
      ...(parallelCalls === undefined ? {} : { parallelCalls }),
      ...(parallelWorkers === undefined ? {} : { parallelWorkers }),
      ...(maxDepth === undefined ? {} : { maxDepth }),
      ...(maxWorkers === undefined ? {} : { maxWorkers }),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(timeouts?.task === undefined ? {} : { taskTimeout: timeouts.task })
    }
    return Layer.succeed(RuntimeOptions, { ...defaults, ...configured })
  })
)

const make = <E extends CallError, R>(seal: Project.Seal<E, R>) =>
  Effect.gen(function* () {
    const { directory } = yield* Surroundings
    const { home, settings } = yield* Configuration
    const trust = yield* Trust
    const workplaces = yield* Workplaces
    const parts = { seal, stack: yield* Stack.make, detected: yield* detectedSandbox }
    const made = yield* RcMap.make({
      lookup: ({ directory, project }: Place & { readonly stamp: string }) =>
        Effect.suspend(() => {
          const place = { directory, project }
          workplaces.add(place)
          return Effect.addFinalizer(() => Effect.sync(() => workplaces.delete(place))).pipe(
            Effect.zipRight(Effect.forkScoped(Project.make(parts, place)))
          )
        }),
      idleTimeToLive: idle
    })
    const one = yield* Effect.makeSemaphore(1)
    const stamp = ({ project }: Place) =>
      Effect.map(Effect.provideService(ProjectConfig.read(project), Trust, trust), (config) => {
        const servers = ProjectConfig.serversOf(config, settings)
        const states = servers.map((server) => stateOf(stateDirectory(home.database), server, project))
        return `${ProjectConfig.stampOf(config)} ${stampOf(states)}`
      })
    const project = Effect.fn("Host.project")(function* (place: Place) {
      const { directory, project } = yield* revisit(place)
      const key = Data.struct({ directory, project, stamp: yield* stamp(place) })
      const making = yield* one.withPermits(1)(RcMap.get(made, key))
      const exit = yield* Fiber.await(making)
      // Who gives up before leaves it to all others who wait.
      if (Exit.isFailure(exit)) yield* RcMap.invalidate(made, key)
      return yield* exit
    })
    return Host.of({ directory, locate, project, stamp })
  })

/** Projects as the runtime takes them. */
const projects: Layer.Layer<Projects, never, Host> = Layer.effect(
  Projects,
  Effect.map(Host, ({ locate, project }) => ({
    locate,
    get: (place) =>
      Effect.mapError(project(place), (error) =>
        error._tag === "ProjectGone"
          ? error
          : new ProjectUnavailable({ directory: place.directory, reason: error.message, error: error._tag })
      )
  }))
)

/** A host by a configuration that has been read, with these models, and with tools sealed so. */
export const layerConfigured = <E extends CallError, R, E2, R2>(
  choices: Choices,
  seal: Project.Seal<E, R>,
  models: Layer.Layer<Models, E2, R2>
) =>
  Runtime.layerProjects.pipe(
    Layer.provide(projects),
    Layer.provide(accounts),
    Layer.provideMerge(Layer.scoped(Host, make(seal))),
    Layer.provideMerge(approvals(choices)),
    Layer.provide(Workplaces.layer),
    Layer.provideMerge(Stores.watchedAudit),
    Layer.provideMerge(
      Layer.mergeAll(
        models,
        Layer.provide(Layer.merge(Stores.memory, Stores.search), booked),
        Stores.decided,
        Stores.sessions,
        Stores.ledger,
        Stack.observed
      )
    ),
    Layer.provide(ClientTools.layer({ timeout: patience })),
    Layer.provide([runtimeOptions, sessionFiles.layer, Disk.layerLocal(isIgnoredDirectory)])
  )

/** A host whose tools are sealed so; what they require besides what a project gives is left to provide. */
const layerToolset = <E extends CallError, R>(
  seal: Project.Seal<E, R>,
  { directory, env, flags = {}, models: given, notice, ...choices }: HostOptions
): Layer.Layer<Services | Configuration, HostFailure, Exclude<R, Project.Provided>> => {
  const known = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  const own = layerConfigured(choices, seal, given ?? models)
  return own.pipe(
    Layer.provideMerge(Configuration.layer(flags)),
    Layer.provide(Surroundings.layer({ directory, env })),
    Layer.provide(redaction.layer(env)),
    Layer.provide(notice === undefined ? Layer.empty : Layer.succeed(Notice, { say: notice })),
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(known))))
  )
}
