import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import { confined, unasked, type Limits } from "../../process/Limits.ts"

export interface ShellSettingsShape {
  /** Whether commands known to only read run without asking. */
  readonly autoApproveReadOnly: boolean
  /** Whether sandboxed commands may use the network. */
  readonly network: boolean
  /** How long a command may take that does not say; infinite for ever. */
  readonly timeout: Duration.Duration
  /** The most that a command may ask for. */
  readonly maxTimeout: Duration.Duration
  /** How long a command may be silent. */
  readonly idle: Duration.Duration
  /** The limits of a command that only reads and runs without approval. */
  readonly unasked: Limits
  /** Those of one that runs without approval because the sandbox holds it. */
  readonly confined: Limits
  /** Bytes of output that are kept, half from either end; the model is given fewer. */
  readonly outputLimit: number
}

export const defaults: ShellSettingsShape = {
  autoApproveReadOnly: true,
  network: false,
  timeout: Duration.minutes(2),
  maxTimeout: Duration.minutes(10),
  idle: Duration.infinity,
  unasked,
  confined,
  outputLimit: 1024 * 1024
}

/** What the timeouts of all tools mean for commands; the user's limit is the most that a command may ask for as well. */
export const timeouts = (limits: {
  readonly tool?: Duration.Duration
  readonly idle?: Duration.Duration
}): Partial<ShellSettingsShape> => ({
  ...(limits.tool === undefined ? {} : { timeout: limits.tool, maxTimeout: limits.tool }),
  ...(limits.idle === undefined ? {} : { idle: limits.idle })
})

export class ShellSettings extends Context.Reference<ShellSettings>()("tollgate/tools/ShellSettings", {
  defaultValue: () => defaults
}) {}
