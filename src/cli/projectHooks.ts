import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as os from "node:os"
import { Configuration } from "../config/Configuration.ts"
import { directories } from "../config/Home.ts"
import * as ProjectFile from "../config/ProjectFile.ts"
import type { Settings } from "../config/Settings.ts"
import * as PathContext from "../policy/path/PathContext.ts"
import type { Processes } from "../process/Processes.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import * as HookProcesses from "../tool/HookProcesses.ts"
import { HookNotRun, type HookProgram, HookRunner } from "../tool/HookRunner.ts"
import { confine } from "../tools/Confinement.ts"
import type { ProjectConfig } from "./ProjectConfig.ts"
import * as Toolbox from "./Toolbox.ts"

/** Where hooks of a project run: they are programs of this machine, so no container and no other machine has them. */
const sandbox = (settings: Settings, project: string) => {
  const { target = "detect" } = settings.sandbox ?? {}
  const near = target === "container" || target === "ssh" ? { target: "detect" as const } : settings.sandbox
  return Toolbox.sandbox({ ...settings, ...(near && { sandbox: near }) }, project)
}

/** Runs hooks at the top of the project, where there is a sandbox in it: without network, and without a place to write. */
const confined = ({ project }: ProjectConfig, env: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { home, settings } = yield* Configuration
    const { describe, wrap } = yield* Effect.provide(Sandbox, yield* Layer.build(sandbox(settings, project)))
    const context = yield* PathContext.make({
      cwd: project,
      roots: [project],
      home: os.homedir(),
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
export const whileTrusted = (
  found: ProjectConfig,
  env: Readonly<Record<string, string>>
): Layer.Layer<HookRunner, never, HookRunner | Processes | Configuration> =>
  Layer.scoped(
    HookRunner,
    Effect.gen(function* () {
      const user = yield* HookRunner
      const context = yield* Effect.context<Processes | Configuration>()
      const scope = yield* Effect.scope
      const own = new Set((found.settings.hooks ?? []).map(({ command }) => JSON.stringify(command)))
      const place = yield* Effect.cached(
        confined(found, env).pipe(Effect.provide(context), Effect.provideService(Scope.Scope, scope))
      )
      const run = ({ command, stdin }: HookProgram) =>
        Effect.gen(function* () {
          const refuse = (reason: string) => new HookNotRun({ command: command[0], reason })
          const { isolated, runner } = yield* Effect.mapError(place, ({ message }) => refuse(message))
          const now = yield* ProjectFile.read(found.project)
          const accepted = Option.getOrElse(found.accepted, () => "")
          if (!Option.exists(now, (file) => ProjectFile.isAccepted(file, accepted)))
            return yield* refuse(
              "it, or a file that it runs, has changed since it was trusted. tollgate trust shows it."
            )
          if (!isolated && !Option.exists(now, (file) => ProjectFile.isUnchanged(file, accepted)))
            return yield* refuse(
              "it may run any file of the project, and one has changed since it was trusted. tollgate trust shows it; in a sandbox it would still run."
            )
          return yield* runner.run({ command, stdin })
        })
      return HookRunner.of({
        run: (program) => (own.has(JSON.stringify(program.command)) ? run(program) : user.run(program))
      })
    })
  )
