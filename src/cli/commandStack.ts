import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CommandCall from "../middleware/CommandCall.ts"
import type { Crashed } from "../middleware/recover.ts"
import * as Registry from "../middleware/Registry.ts"
import { timing } from "../middleware/timing.ts"

/** What stands in front of every command, outermost first; sealed before the first handler runs (M1–M3). */
const sealed = Effect.gen(function* () {
  const registry = yield* Registry.make<CommandCall.CommandCall, { fails: Crashed }>()
  yield* registry.use(CommandCall.recovery)
  yield* registry.use(timing)
  return yield* registry.seal
}).pipe(Effect.orDie)

/** A parsed command as `@effect/cli` gives it to its handler: the sub-command it came down to, if any. */
interface Parsed {
  readonly subcommand?: Option.Option<readonly [{ readonly key?: string }, unknown]>
}

const pathOf = (parsed: unknown): ReadonlyArray<string> => {
  const { subcommand } = (typeof parsed === "object" && parsed !== null ? parsed : {}) as Parsed
  if (subcommand === undefined || !Option.isOption(subcommand) || Option.isNone(subcommand)) return []
  const [tag, below] = subcommand.value
  const name = (tag.key ?? "").split("/").at(-1) ?? ""
  return name === "" ? pathOf(below) : [name, ...pathOf(below)]
}

/** Runs the handler of whatever command was parsed behind the command middleware. */
export const behindStack = <A, E, R>(
  handler: Effect.Effect<A, E, R>,
  parsed: unknown
): Effect.Effect<A, E | Crashed, R> =>
  Effect.flatMap(sealed, (stack) => CommandCall.handler(stack)(["tollgate", ...pathOf(parsed)], () => handler)())
