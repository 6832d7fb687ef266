import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Middleware } from "./Middleware.ts"
import type { Named } from "./Named.ts"
import { named } from "./Step.ts"

/** What has to be configured first; the message has the command for each key. */
export class ConfigMissing extends Schema.TaggedError<ConfigMissing>()("ConfigMissing", {
  kind: Schema.Literal("tool", "command"),
  name: Schema.String,
  keys: Schema.Array(Schema.String)
}) {
  override get message() {
    return [
      `${this.kind} ${this.name} needs configuration that is not set:`,
      ...this.keys.map((key) => `- ${key}: tollgate config set ${key} VALUE`)
    ].join("\n")
  }
}

/** Runs a call only where every key has a value; absent, empty and blank are all missing (M2). */
export const requireConfig = <Call extends Named, E = never, R = never>(
  keys: ReadonlyArray<string>,
  lookup: (key: string) => Effect.Effect<string | undefined, E, R>
): Middleware<Call, { fails: ConfigMissing | E; requires: R }> =>
  named<Call, { fails: ConfigMissing | E; requires: R }>(
    "required configuration",
    keys.join(", "),
    <Self extends Call, A, E2, R2>(call: Self, next: (call: Self) => Effect.Effect<A, E2, R2>) =>
      Effect.flatMap(
        Effect.filter(keys, (key) => Effect.map(lookup(key), (value) => (value ?? "").trim() === "")),
        (missing): Effect.Effect<A, E2 | ConfigMissing, R2> =>
          missing.length === 0
            ? next(call)
            : Effect.fail(new ConfigMissing({ kind: call.kind, name: call.name, keys: missing }))
      )
  )
