import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

export interface ShellSettingsShape {
  /** Whether commands that are known to only read run unasked. */
  readonly autoApproveReadOnly: boolean
  /** Whether sandboxed commands may use the network. */
  readonly network: boolean
  /** How long a command may take that does not say. */
  readonly timeout: Duration.Duration
  /** The most that a command may ask for. */
  readonly maxTimeout: Duration.Duration
  /** Bytes of output that are kept, half from either end; the model is given fewer. */
  readonly outputLimit: number
}

export const defaults: ShellSettingsShape = {
  autoApproveReadOnly: true,
  network: false,
  timeout: Duration.minutes(2),
  maxTimeout: Duration.minutes(10),
  outputLimit: 1024 * 1024
}

export class ShellSettings extends Context.Reference<ShellSettings>()("tollgate/tools/ShellSettings", {
  defaultValue: () => defaults
}) {}
