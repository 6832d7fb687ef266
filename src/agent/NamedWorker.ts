import * as Schema from "effect/Schema"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
const Count = Schema.Int.pipe(Schema.positive())

/** A sub-worker that the configuration describes, so that a parent can start it by its name. */
export const NamedWorker = Schema.Struct({
  /** What it is for, as its parent reads it. */
  description: optional(Schema.String.pipe(Schema.maxLength(500))),
  /** Follow the system prompt of every worker. */
  instructions: optional(Schema.String),
  /** The only tools of its parent that it has; all of them if unset. Manual ones are for the user, once it has returned. */
  tools: optional(Schema.Array(Schema.NonEmptyString)),
  /** The model profile. Default: that of its parent. */
  profile: optional(Schema.NonEmptyString),
  /** How heavy its tasks are, for routing. */
  weight: optional(Schema.NonEmptyString),
  /** Its model requests, never more than those of a task. */
  maxIterations: optional(Count),
  /** Tokens that it and those below it may use. */
  maxTokens: optional(Count),
  /** Levels of sub-workers below it. */
  maxDepth: optional(Schema.NonNegativeInt)
})
export type NamedWorker = typeof NamedWorker.Type

/** The name of a worker: as a person types it in a path. */
export const WorkerName = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/, {
    message: () => "expected a name of at most 32 letters, digits, - and _ that begins with a letter"
  })
)

export const NamedWorkers = Schema.Record({ key: WorkerName, value: NamedWorker })
export type NamedWorkers = typeof NamedWorkers.Type

/** A named worker cannot be what its configuration says. */
export class NamedWorkerInvalid extends Schema.TaggedError<NamedWorkerInvalid>()("NamedWorkerInvalid", {
  worker: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Worker ${this.worker} in the configuration: ${this.reason}`
  }
}

/** What is wrong with one of the workers, by the tools and the profiles that there are. */
export const invalid = (
  workers: NamedWorkers,
  known: { readonly tools: ReadonlyArray<string>; readonly profiles: ReadonlyArray<string> }
): NamedWorkerInvalid | undefined => {
  for (const [worker, { profile, tools = [] }] of Object.entries(workers)) {
    const unknown = tools.find((name) => !known.tools.includes(name))
    if (unknown !== undefined) {
      const reason = `unknown tool ${JSON.stringify(unknown.slice(0, 80))}. Known: ${known.tools.join(", ")}.`
      return new NamedWorkerInvalid({ worker, reason })
    }
    if (profile !== undefined && known.profiles.length > 0 && !known.profiles.includes(profile)) {
      const reason = `unknown profile ${JSON.stringify(profile.slice(0, 80))}. Known: ${known.profiles.join(", ")}.`
      return new NamedWorkerInvalid({ worker, reason })
    }
  }
  return undefined
}
