import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { render } from "../process/Output.ts"
import type { ProcessCommand } from "../process/ProcessCommand.ts"
import { Processes } from "../process/Processes.ts"
import { HookNotRun, HookRunner } from "./HookRunner.ts"

export interface HookProcessOptions {
  readonly cwd: string
  /** The whole environment of a hook. */
  readonly env: Readonly<Record<string, string>>
  /** Puts a hook into a sandbox; unset, it runs with the user's own rights. */
  readonly wrap?: (command: ProcessCommand) => ProcessCommand
}

/** Bytes kept of what a hook prints on either channel. */
const limit = 64 * 1024

/** Hooks as real processes: without a terminal, each in its own session, ended with its children. */
export const layer = ({
  cwd,
  env,
  wrap = (command) => command
}: HookProcessOptions): Layer.Layer<HookRunner, never, Processes> =>
  Layer.effect(
    HookRunner,
    Effect.map(Processes, (processes) => ({
      run: Effect.fn("HookRunner.run")(({ command: [file, ...args], stdin }) =>
        processes.run(wrap({ file, args, cwd, env, stdin: { text: stdin } }), { limit }).pipe(
          Effect.mapBoth({
            onFailure: (error) => new HookNotRun({ command: file, reason: error.message }),
            onSuccess: ({ exitCode, stderr, stdout }) => ({
              exitCode,
              stdout,
              stderr: render(stderr)
            })
          })
        )
      )
    }))
  )
