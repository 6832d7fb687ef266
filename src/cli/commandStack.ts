import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type ConfigError, setUp } from "../config/ConfigError.ts"
import { Surroundings } from "../host/Surroundings.ts"
import * as CommandCall from "../middleware/CommandCall.ts"
import type { Any } from "../middleware/Middleware.ts"
import type { Crashed } from "../middleware/recover.ts"
import * as Registry from "../middleware/Registry.ts"
import { type ConfigMissing, requireConfig } from "../middleware/requireConfig.ts"
import { type Step, steps } from "../middleware/Step.ts"
import { timing } from "../middleware/timing.ts"
import { when } from "../middleware/when.ts"
import * as Collector from "../telemetry/Collector.ts"
import * as Traces from "../telemetry/Traces.ts"
import { load } from "./command/load.ts"
import { others, prefix } from "./variables.ts"
import * as LazyHttpClient from "../host/LazyHttpClient.ts"

/** The prompt, which has no words behind its name. */
const prompt = "tollgate"

const run = `${prompt} run`

/** The commands that have steps of their own. */
export const specific: ReadonlyArray<string> = [prompt, run]

/** A command that ends by itself; the prompt does not, and its tasks are spans of their own. */
const ends = ({ path }: CommandCall.CommandCall) => path.length > 1

/** Whether any model is configured, as text. */
const lookup = () =>
  load(
    () => import("../config/Configuration.ts"),
    ({ Configuration }) =>
      Effect.map(Configuration, ({ profiles }) => Object.keys(profiles).join(" ")).pipe(
        Effect.provide(Configuration.layer())
      )
  )

/** Where nothing is configured, the prompt asks what to use, if there is someone to ask. */
const asks = (call: CommandCall.CommandCall) => !ends(call) && process.stdin.isTTY && process.stdout.isTTY

const model = requireConfig<CommandCall.CommandCall, ConfigError>([{ key: "profiles", set: setUp }], lookup)

/** What stands in front of every command, outermost first; sealed before the first handler runs. */
const sealed = Effect.gen(function* () {
  const registry = yield* Registry.make<CommandCall.CommandCall, { fails: Crashed | ConfigMissing | ConfigError }>()
  yield* registry.use(CommandCall.recovery)
  if (Option.isSome(yield* Collector.fromEnvironment)) {
    const { commandSpan } = yield* Effect.promise(() => import("../telemetry/span.ts"))
    yield* registry.use(when(ends, commandSpan))
  }
  yield* registry.use(timing)
  // What is registered for the prompt stands in front of the commands below it as well.
  yield* registry.useFor(
    prompt,
    when((call) => !ends(call) && !asks(call), model)
  )
  yield* registry.useFor(run, model)
  return yield* registry.seal
}).pipe(Effect.orDie)

/** The steps in front of a command, outermost first. */
export const describe = (name: string): Effect.Effect<ReadonlyArray<Step>> =>
  Effect.map(sealed, (stacks) => steps(stacks.for(name) as unknown as Any))

/** A parsed command as `@effect/cli` gives it to its handler: the sub-command it came down to, if any, `…/(NAME)`. */
interface Parsed {
  readonly subcommand?: Option.Option<readonly [{ readonly key?: string }, unknown]>
}

const pathOf = (parsed: unknown): ReadonlyArray<string> => {
  const { subcommand } = (typeof parsed === "object" && parsed !== null ? parsed : {}) as Parsed
  if (subcommand === undefined || !Option.isOption(subcommand) || Option.isNone(subcommand)) return []
  const [tag, below] = subcommand.value
  const [, name = ""] = /\((.*)\)$/.exec(tag.key ?? "") ?? []
  return name === "" ? pathOf(below) : [name, ...pathOf(below)]
}

const redaction = Layer.unwrapEffect(
  load(
    () => import("../host/redaction.ts"),
    ({ layer }) => Effect.map(Surroundings, ({ env }) => layer(env))
  )
)

/** Says which variables have no effect, where there may be one: most people set none but the home. */
const variables = Effect.flatMap(Surroundings, ({ env }) => {
  const names = Object.keys(env).filter((name) => name.startsWith(prefix) && !others.includes(name))
  return names.length === 0
    ? Effect.void
    : load(
        () => import("./unknownVariables.ts"),
        ({ warnOf }) => warnOf(names)
      )
})

const traces = Layer.provide(Traces.layer, LazyHttpClient.layer)

/**
 * Runs the handler of whatever command was parsed behind the command middleware, with a redactor that is told of the user's
 * secrets, its spans exported where they are wanted.
 */
export const behindStack = <A, E, R>(
  handler: Effect.Effect<A, E, R>,
  parsed: unknown
): Effect.Effect<A, E | Crashed | ConfigMissing | ConfigError, R | Surroundings> =>
  Effect.flatMap(Effect.zipRight(variables, sealed), (stack) =>
    CommandCall.handler(stack)([prompt, ...pathOf(parsed)], () => handler)()
  ).pipe(Effect.provide(Layer.provideMerge(traces, redaction)))
