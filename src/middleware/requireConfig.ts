import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Middleware } from "./Middleware.ts"
import type { Named } from "./Named.ts"
import { named } from "./Step.ts"

const Required = Schema.Struct({ key: Schema.String, set: Schema.Array(Schema.String) })

/** A key that must have a value, and what sets it, if that is known: any one of these. */
export type Required = typeof Required.Type

/** Something has to be configured first; the message has what sets each key. */
export class ConfigMissing extends Schema.TaggedError<ConfigMissing>()("ConfigMissing", {
  kind: Schema.Literal("tool", "command"),
  name: Schema.String,
  missing: Schema.NonEmptyArray(Required)
}) {
  get keys(): ReadonlyArray<string> {
    return this.missing.map(({ key }) => key)
  }
  override get message() {
    return [
      `${this.kind} ${this.name} needs configuration that is not set:`,
      ...this.missing.map(({ key, set: [first, ...others] }) =>
        first === undefined
          ? `- ${key}`
          : others.length === 0
            ? `- ${key}: ${first}`
            : [`- ${key}, set by any of these:`, ...[first, ...others].map((line) => `    ${line}`)].join("\n")
      )
    ].join("\n")
  }
}

const required = (key: string | Required): Required => (typeof key === "string" ? { key, set: [] } : key)

/** Runs a call only if every key has a value that is not blank. */
export const requireConfig = <Call extends Named, E = never, R = never>(
  keys: ReadonlyArray<string | Required>,
  lookup: (key: string) => Effect.Effect<string | undefined, E, R>
): Middleware<Call, { fails: ConfigMissing | E; requires: R }> => {
  const all = keys.map(required)
  return named<Call, { fails: ConfigMissing | E; requires: R }>(
    "required configuration",
    all.map(({ key }) => key).join(", "),
    <Self extends Call, A, E2, R2>(call: Self, next: (call: Self) => Effect.Effect<A, E2, R2>) =>
      Effect.flatMap(
        Effect.filter(all, ({ key }) => Effect.map(lookup(key), (value) => (value ?? "").trim() === "")),
        ([first, ...others]): Effect.Effect<A, E2 | ConfigMissing, R2> =>
          first === undefined
            ? next(call)
            : Effect.fail(new ConfigMissing({ kind: call.kind, name: call.name, missing: [first, ...others] }))
      )
  )
}
