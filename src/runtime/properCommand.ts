import * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { mistakesOf } from "../redaction/Mistake.ts"
import { lazy } from "../system/lazy.ts"
import { memo } from "../system/memo.ts"
import { Command } from "./Command.ts"

/** What no command can be, and what is known of it all the same. */
export interface Improper {
  readonly _tag: string
  readonly commandId?: string
  readonly reason: string
}

type Member = (typeof Command.members)[number]

const members = lazy(() => new Map<unknown, Member>(Command.members.map((member) => [member._tag, member])))

/** A field without a value is one that is not there. */
const decoder = memo(
  new WeakMap<Member, (given: unknown) => Either.Either<Command, ParseResult.ParseError>>(),
  (member) => Schema.decodeUnknownEither(member as Schema.Schema<Command, unknown>, { exact: false })
)

const valued = (given: object): object =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))

/** A command as it may be carried out; one that was made by its class is one. The compiler has not seen all code that sends them. */
export const properCommand = <C extends Command>(given: C): Either.Either<C, Improper> => {
  const tag: unknown = Predicate.hasProperty(given, "_tag") ? given._tag : undefined
  const member = members().get(tag)
  if (member === undefined) {
    return Either.left({
      _tag: "unknown",
      reason: "What was sent is no command; see Command for those that there are."
    })
  }
  if (Object.getPrototypeOf(given) === member.prototype) return Either.right(given)
  const { commandId } = given
  return Either.mapBoth(decoder(member)(valued(given)), {
    // The class of its tag has made it.
    onRight: (command) => command as C,
    onLeft: (error) => ({
      _tag: member._tag,
      ...(typeof commandId === "string" && { commandId }),
      reason: `Nothing was done. ${mistakesOf(error)
        .map(({ path, problem }) => `${path.join(".")}: ${problem}`)
        .join("; ")}.`
    })
  })
}
