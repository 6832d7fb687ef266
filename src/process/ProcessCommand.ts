import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SpawnFailed } from "./SpawnFailed.ts"

/** What to start, and how its end is enforced. Nothing is inherited: not the environment, not a terminal, not stdin. */
export interface ProcessCommand {
  /** A program on the `PATH` of `env`, or the full path of one. */
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  /** The whole environment of the child; see `environment`. One variable, the marker of its tree, is added. */
  readonly env: Readonly<Record<string, string>>
  /**
   * `"closed"` (the default) reads as an empty file; bytes and other text are given whole, at most `stdinLimit`; `"open"` is
   * written to while it runs.
   */
  readonly stdin?: "closed" | "open" | { readonly text: string } | Uint8Array
  /** From SIGTERM to SIGKILL; 2 seconds by default. */
  readonly grace?: Duration.DurationInput
  /** How long other processes may go on writing once the leader has exited; 200 milliseconds by default. */
  readonly drain?: Duration.DurationInput
  /** The leader dies at once of SIGTERM and takes its tree along, so SIGTERM goes only to those below it. */
  readonly supervised?: boolean
  /** The leader writes to descriptor 3 how many processes it leaves behind, which is not visible from outside. */
  readonly tells?: boolean
  /** Acquired before the child starts, released when its whole tree has ended. */
  readonly held?: Effect.Effect<unknown, SpawnFailed, Scope.Scope>
}

export type Channel = "stdout" | "stderr"

export interface OutputChunk {
  readonly channel: Channel
  readonly text: string
}

/** One of the two is null. */
export interface ProcessExit {
  readonly exitCode: number | null
  readonly signal: string | null
}

export const defaultGrace = "2 seconds"
export const defaultDrain = "200 millis"
