import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as ProjectFile from "../config/ProjectFile.ts"
import { HookNotRun, type HookProgram, HookRunner } from "../tool/HookRunner.ts"
import type { ProjectConfig } from "./ProjectConfig.ts"

/**
 * Runs a hook of the project only while its file and its programs are what they were when they were trusted: a tool could
 * have written another program in its place since.
 */
export const whileTrusted = ({ file, project, settings }: ProjectConfig): Layer.Layer<HookRunner, never, HookRunner> =>
  Layer.effect(
    HookRunner,
    Effect.map(HookRunner, (runner) => {
      const trusted = Option.map(file, ({ digest }) => digest)
      const own = new Set((settings.hooks ?? []).map(({ command }) => JSON.stringify(command)))
      const unchanged = Effect.map(ProjectFile.read(project), (now) =>
        Option.exists(now, ({ digest }) => Option.contains(trusted, digest))
      )
      const changed = (program: HookProgram) =>
        new HookNotRun({
          command: program.command[0],
          reason: "it, or the file that names it, has changed since it was trusted. tollgate trust shows it."
        })
      return HookRunner.of({
        run: (program) =>
          own.has(JSON.stringify(program.command))
            ? Effect.flatMap(unchanged, (same) => (same ? runner.run(program) : changed(program)))
            : runner.run(program)
      })
    })
  )
