import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { directories, type Home } from "../config/Home.ts"
import * as ProjectFile from "../config/ProjectFile.ts"
import * as PathContext from "../policy/path/PathContext.ts"
import { Processes } from "../process/Processes.ts"
import type { Sandbox } from "../sandbox/Sandbox.ts"
import type { SandboxUnavailable } from "../sandbox/SandboxUnavailable.ts"
import * as HookProcesses from "../tool/HookProcesses.ts"
import { HookNotRun, type HookProgram, HookRunner } from "../tool/HookRunner.ts"
import { confine } from "../tools/Confinement.ts"
import type { ProjectConfig } from "./ProjectConfig.ts"

export interface ProjectHooksOptions {
  readonly config: ProjectConfig
  readonly env: Readonly<Record<string, string>>
  readonly home: Home
  /** Where hooks of a project run; none, and they do not run. */
  readonly sandbox: Effect.Effect<Sandbox["Type"], SandboxUnavailable>
}

/** Runs hooks at the top of the project, where there is a sandbox in it: without network, and without a place to write. */
const confined = ({ config: { project }, env, home, sandbox }: ProjectHooksOptions) =>
  Effect.gen(function* () {
    const { describe, wrap } = yield* sandbox
    const context = yield* PathContext.make({
      cwd: project,
      roots: [project],
      home: home.user,
      trusted: false,
      stateDirs: directories(home)
    })
    const policy = confine(context, { write: false, network: false })
    const layer = HookProcesses.layer({ cwd: project, env, wrap: (command) => wrap(command, policy) })
    return { isolated: describe.isolated, runner: yield* Effect.provide(HookRunner, layer) }
  })

/**
 * Runs a hook of the project only while its file and all that it may run are what they were when they were trusted: a tool
 * could have written another program in its place since.
 */
export const whileTrusted = (options: ProjectHooksOptions): Layer.Layer<HookRunner, never, HookRunner | Processes> =>
  Layer.effect(
    HookRunner,
    Effect.gen(function* () {
      const { config } = options
      const user = yield* HookRunner
      const processes = yield* Processes
      const own = new Set((config.settings.hooks ?? []).map(({ command }) => JSON.stringify(command)))
      const place = yield* Effect.cached(Effect.provideService(confined(options), Processes, processes))
      const run = ({ command, stdin }: HookProgram) =>
        Effect.gen(function* () {
          const refuse = (reason: string) => new HookNotRun({ command: command[0], reason })
          const { isolated, runner } = yield* Effect.mapError(place, ({ message }) => refuse(message))
          const now = yield* ProjectFile.read(config.project)
          const accepted = Option.getOrElse(config.accepted, () => "")
          if (!Option.exists(now, (file) => ProjectFile.isAccepted(file, accepted)))
            return yield* refuse(
              "it or a file it runs has changed since it was trusted. Review and trust the project again."
            )
          if (!isolated && !Option.exists(now, (file) => ProjectFile.isUnchanged(file, accepted)))
            return yield* refuse(
              "it may run any file of the project, and one has changed since it was trusted. Review and trust the project again; with a sandbox it would still run."
            )
          return yield* runner.run({ command, stdin })
        })
      return HookRunner.of({
        run: (program) => (own.has(JSON.stringify(program.command)) ? run(program) : user.run(program))
      })
    })
  )
