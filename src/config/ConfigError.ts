import * as Schema from "effect/Schema"

/** A path or a name as far as it fits into a sentence. */
const brief = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text)

export class ConfigUnreadable extends Schema.TaggedError<ConfigUnreadable>()("ConfigUnreadable", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The configuration ${brief(this.file)} cannot be used: ${this.reason}. Edit it, move it away to start with the defaults, or set TOLLGATE_HOME to another directory.`
  }
}

/** What helps where the disk is full. */
export const makeRoom = "Free some space and try again."

export class ConfigUnwritable extends Schema.TaggedError<ConfigUnwritable>()("ConfigUnwritable", {
  file: Schema.String,
  reason: Schema.String,
  /** What to do about it; by default its directory is to be made writable. */
  mend: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    const { mend = "Make its directory writable, or set TOLLGATE_HOME to another one." } = this
    return `The configuration ${brief(this.file)} cannot be written: ${this.reason}. Nothing has changed. ${mend}`
  }
}

/** A value that is not what its key takes. */
export const Problem = Schema.Struct({
  /** A file, a variable or a flag. */
  source: Schema.String,
  key: Schema.String,
  problem: Schema.String,
  /** The commands any one of which mends it. */
  mend: Schema.Array(Schema.String)
})
export type Problem = typeof Problem.Type

/** Problems that a message names. */
const shown = 20

/** Values are not what their keys take. */
export class ConfigInvalid extends Schema.TaggedError<ConfigInvalid>()("ConfigInvalid", {
  problems: Schema.NonEmptyArray(Problem)
}) {
  override get message() {
    const { length } = this.problems
    return [
      ...(length === 1 ? [] : [`${length} configuration values are invalid.`]),
      ...this.problems
        .slice(0, shown)
        .flatMap(({ key, mend, problem, source }) => [
          `${brief(source)}: ${key}: ${problem}`,
          ...mend.map((command) => `    ${command}`)
        ]),
      ...(length > shown ? [`And ${length - shown} more.`] : [])
    ].join("\n")
  }
}

export class ConfigKeyUnknown extends Schema.TaggedError<ConfigKeyUnknown>()("ConfigKeyUnknown", {
  key: Schema.String,
  similar: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    const hint = this.similar === undefined ? "tollgate config lists all keys." : `Did you mean ${this.similar}?`
    return `Unknown configuration key ${JSON.stringify(this.key)}. ${hint}`
  }
}

/** A local server in the form that `config set` takes. */
const example = `'{"provider":"chat-completions","baseUrl":"http://localhost:11434/v1","model":"qwen3"}'`

/** The commands that set a model up, one each line. */
export const setUp: readonly [string, ...ReadonlyArray<string>] = [
  "export OPENAI_API_KEY=…",
  "export ANTHROPIC_API_KEY=…",
  `tollgate config set profiles.local ${example}`
]

export class NoProfile extends Schema.TaggedError<NoProfile>()("NoProfile", {
  /** The one that was asked for. */
  profile: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    const unknown = this.profile === undefined ? "" : `Unknown model profile ${this.profile}. `
    return [
      `${unknown}No model is configured. Set one up with any of these:`,
      ...setUp.map((line) => `  ${line}`),
      "tollgate tour works without a model."
    ].join("\n")
  }
}

export type ConfigError = ConfigUnreadable | ConfigUnwritable | ConfigInvalid | ConfigKeyUnknown | NoProfile
