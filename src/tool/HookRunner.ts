import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Output } from "../process/Output.ts"

/** The program of a hook could not be started. */
export class HookNotRun extends Schema.TaggedError<HookNotRun>()("HookNotRun", {
  command: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.command} could not be run: ${this.reason}`
  }
}

export interface HookProgram {
  /** A program and its arguments; no shell is involved. */
  readonly command: readonly [string, ...ReadonlyArray<string>]
  readonly stdin: string
}

export interface HookOutput {
  /** Null where a signal ended it. */
  readonly exitCode: number | null
  /** Bounded; only a whole one can be an answer. */
  readonly stdout: Output
  readonly stderr: string
}

/** Runs the programs of hooks; interrupting a run ends the program and its processes. */
export class HookRunner extends Context.Tag("tollgate/tool/HookRunner")<
  HookRunner,
  {
    readonly run: (program: HookProgram) => Effect.Effect<HookOutput, HookNotRun>
  }
>() {}
