import * as Schema from "effect/Schema"

/** What is remembered could not be read or written. */
export class MemoryFailed extends Schema.TaggedError<MemoryFailed>()("MemoryFailed", { reason: Schema.String }) {
  override get message() {
    return `The memory cannot be used: ${this.reason}`
  }
}

/** The text is none that is remembered. */
export class MemoryRefused extends Schema.TaggedError<MemoryRefused>()("MemoryRefused", { reason: Schema.String }) {
  override get message() {
    return `Nothing was remembered: ${this.reason}`
  }
}
