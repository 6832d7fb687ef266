import * as Schema from "effect/Schema"

export class ConfigUnreadable extends Schema.TaggedError<ConfigUnreadable>()("ConfigUnreadable", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The configuration ${this.file} cannot be used: ${this.reason}. Mend the file, or move it away to start with the defaults.`
  }
}

export class ConfigUnwritable extends Schema.TaggedError<ConfigUnwritable>()("ConfigUnwritable", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The configuration ${this.file} cannot be written: ${this.reason}. Nothing has changed.`
  }
}

/** A value is not what its key takes; `source` is a file, a variable or a flag. */
export class ConfigInvalid extends Schema.TaggedError<ConfigInvalid>()("ConfigInvalid", {
  source: Schema.String,
  path: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.source}: ${this.path}: ${this.problem}`
  }
}

export class ConfigKeyUnknown extends Schema.TaggedError<ConfigKeyUnknown>()("ConfigKeyUnknown", {
  key: Schema.String,
  similar: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    const hint = this.similar === undefined ? "tollgate config shows all keys." : `Did you mean ${this.similar}?`
    return `There is no configuration key ${JSON.stringify(this.key)}. ${hint}`
  }
}

/** A local server in the form that `config set` takes. */
const example = `'{"provider":"chat-completions","baseUrl":"http://localhost:11434/v1","model":"qwen3"}'`

/** The commands that set a model up, one each line. */
export const setUp: ReadonlyArray<string> = [
  "export OPENAI_API_KEY=…",
  "export ANTHROPIC_API_KEY=…",
  `tollgate config set profiles.local ${example}`
]

export class NoProfile extends Schema.TaggedError<NoProfile>()("NoProfile", {}) {
  override get message() {
    return [
      "No model is configured. Any one of these sets one up:",
      ...setUp.map((line) => `  ${line}`),
      "tollgate tour needs none."
    ].join("\n")
  }
}

export type ConfigError = ConfigUnreadable | ConfigUnwritable | ConfigInvalid | ConfigKeyUnknown | NoProfile
