import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Answer from "../process/Answer.ts"
import type { Processes } from "../process/Processes.ts"
import { commandOf, type Program } from "../process/Program.ts"
import { duration } from "../text/duration.ts"
import { parsePrinted } from "../text/Json.ts"
import { visibleJson } from "../text/visible.ts"
import type { RoutingDecision, RoutingHook } from "./Routing.ts"

export interface ProgramOptions extends Program {
  /** Default: 10 seconds. */
  readonly timeout?: Duration.DurationInput
}

const optional = Schema.optionalWith(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(500)), { exact: true })
const Change = Schema.Struct({ selected: optional, reason: optional, weight: optional })
const decode = Schema.decodeUnknown(Change, { onExcessProperty: "error" })

const outputLimit = 64 * 1024

/**
 * A program that gets the decision as one JSON object on its standard input and writes what it changes to its standard output:
 * `{"selected"?, "reason"?, "weight"?}`. Where it fails, or prints anything else, the decision stays and its reason says why.
 */
export const make =
  (processes: Processes["Type"], options: ProgramOptions): RoutingHook =>
  (decision) => {
    const { timeout = "10 seconds", ...program } = options
    const name = program.file.split("/").at(-1) ?? program.file
    const stays = (what: string): RoutingDecision => ({
      ...decision,
      reason: `${decision.reason}; the routing hook ${name} ${what}`
    })
    return Effect.gen(function* () {
      const text = visibleJson(JSON.stringify(decision))
      const result = yield* processes.run({ ...commandOf(program), stdin: { text } }, { limit: outputLimit })
      const ended = Answer.of(result)
      if (Either.isLeft(ended)) return stays(ended.left.message)
      const said = yield* Effect.option(Effect.flatMap(parsePrinted(ended.right.stdout), decode))
      return Option.match(said, {
        onNone: () => stays("printed something that is not an answer"),
        onSome: (change) => ({
          ...decision,
          ...(change.selected === undefined ? {} : { reason: `routing hook ${name}` }),
          ...change
        })
      })
    }).pipe(
      Effect.timeoutOption(timeout),
      Effect.map(Option.getOrElse(() => stays(`did not answer within ${duration(Duration.toMillis(timeout))}`))),
      Effect.catchTag("SpawnFailed", ({ message }) => Effect.succeed(stays(`could not be run: ${message}`)))
    )
  }
