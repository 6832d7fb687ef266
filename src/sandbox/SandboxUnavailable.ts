import * as Schema from "effect/Schema"

/** Commands are to run in a sandbox that is not there; they never run elsewhere instead. */
export class SandboxUnavailable extends Schema.TaggedError<SandboxUnavailable>()("SandboxUnavailable", {
  target: Schema.String,
  reason: Schema.String,
  mend: Schema.String,
  /** The configuration key that is not set, if that is the reason. */
  key: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    return `The configured sandbox ${this.target} cannot be used: ${this.reason}. ${this.mend}, or choose another sandbox.target.`
  }
}
