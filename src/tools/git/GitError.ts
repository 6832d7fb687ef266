import * as Schema from "effect/Schema"

/** The git tools cannot work here: no usable repository, or a state they do not touch. */
export class GitRefused extends Schema.TaggedError<GitRefused>()("GitRefused", { reason: Schema.String }) {
  override get message() {
    return `Git was not run: ${this.reason}`
  }
}

/** Git ran and said no; `output` is what it printed, without secrets. */
export class GitFailed extends Schema.TaggedError<GitFailed>()("GitFailed", {
  command: Schema.String,
  /** Null where a signal or its time limit ended it. */
  exitCode: Schema.NullOr(Schema.Number),
  output: Schema.String
}) {
  override get message() {
    const how = this.exitCode === null ? "was ended early" : `failed with exit code ${this.exitCode}`
    return `git ${this.command} ${how}${this.output === "" ? "" : `: ${this.output}`}`
  }
}

/** What would be done is no longer what was decided on. */
export class GitStale extends Schema.TaggedError<GitStale>()("GitStale", { what: Schema.String }) {
  override get message() {
    return `${this.what} changed after the call was shown; nothing was done. Look again and repeat the call`
  }
}
