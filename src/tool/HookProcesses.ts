import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { render } from "../process/Output.ts"
import { Processes } from "../process/Processes.ts"
import { HookNotRun, HookRunner } from "./HookRunner.ts"

export interface HookProcessOptions {
  readonly cwd: string
  /** The whole environment of a hook. */
  readonly env: Readonly<Record<string, string>>
}

/** Bytes kept of what a hook prints on either channel. */
const limit = 64 * 1024

/** Hooks as real processes: without a terminal, in a session of their own, ended with all that they started. */
export const layer = ({ cwd, env }: HookProcessOptions): Layer.Layer<HookRunner, never, Processes> =>
  Layer.effect(
    HookRunner,
    Effect.map(Processes, (processes) => ({
      run: Effect.fn("HookRunner.run")(({ command: [file, ...args], stdin }) =>
        processes.run({ file, args, cwd, env, stdin: { text: stdin } }, { limit }).pipe(
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
