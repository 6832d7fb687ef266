import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Configuration } from "../config/Configuration.ts"
import type { AccessScope } from "../server/Access.ts"
import { tokenStore } from "../server/tokenFiles.ts"
import { type StoredToken, TokenName, TokenStore } from "../server/TokenStore.ts"
import * as JsonOutput from "./jsonOutput.ts"
import { UsageError } from "./Outcome.ts"
import { spanOf } from "./Since.ts"
import { Screen } from "./terminal/Screen.ts"
import { isoTime } from "../text/isoTime.ts"

const services = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  self.pipe(
    Effect.provide(tokenStore),
    Effect.provide(Screen.layer({ split: false })),
    Effect.provide(Configuration.layer())
  )

const longestMillis = 100 * 365 * 86_400_000

const expiryOf = (text: string, now: number): Effect.Effect<number, UsageError> =>
  Option.match(
    Option.filter(spanOf(text), (span) => span > 0 && span <= longestMillis),
    {
      onNone: () =>
        new UsageError({
          reason: `--expires takes a time span (12h, 30d, 4w), not ${JSON.stringify(text.slice(0, 40))}.`
        }),
      onSome: (span) => Effect.succeed(now + span)
    }
  )

const nameOf = (given: string): Effect.Effect<string, UsageError> =>
  Either.match(Schema.decodeEither(TokenName)(given), {
    onLeft: () =>
      new UsageError({
        reason: `${JSON.stringify(given.slice(0, 60))} names no token: up to 40 letters, digits and . _ -, other than local and user.`
      }),
    onRight: (name) => Effect.succeed(name)
  })

export interface AddOptions {
  readonly name: string
  readonly scope: ReadonlyArray<AccessScope>
  readonly expires: Option.Option<string>
}

/** Makes a token and prints its secret, which is kept nowhere. */
export const add = ({ expires, name: given, scope }: AddOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const name = yield* nameOf(given)
    const now = yield* Clock.currentTimeMillis
    const [first = "view", ...more] = new Set(scope)
    const until = Option.isNone(expires) ? {} : { expiresAt: yield* expiryOf(expires.value, now) }
    const secret = yield* (yield* TokenStore).add({ name, scopes: [first, ...more], ...until })
    yield* screen.answer(`${Redacted.value(secret)}\n`)
    yield* screen.progress(`Token ${name}: ${[first, ...more].join(", ")}. It is shown this once.\n`)
  }).pipe(services)

const row = ({ createdAt, expiresAt, name, scopes }: StoredToken, now: number): string => {
  const until =
    expiresAt === undefined
      ? "no expiry"
      : expiresAt <= now
        ? `expired ${isoTime(expiresAt)}`
        : `expires ${isoTime(expiresAt)}`
  return `${name.padEnd(20)}  ${scopes.join(",").padEnd(20)}  added ${isoTime(createdAt)}  ${until}\n`
}

const fields = ({ createdAt, expiresAt, name, scopes }: StoredToken) => ({
  name,
  scopes,
  createdAt: isoTime(createdAt),
  ...(expiresAt === undefined ? {} : { expiresAt: isoTime(expiresAt) })
})

/** Lists the tokens; their secrets are known to nobody here. */
export const list = (output: JsonOutput.JsonOptions) =>
  Effect.gen(function* () {
    yield* JsonOutput.oneOf(output)
    const screen = yield* Screen
    const now = yield* Clock.currentTimeMillis
    const tokens = yield* (yield* TokenStore).list
    if (output.json || output.jsonl)
      return yield* screen.answer(
        JsonOutput.render(
          tokens.map((token) => JSON.stringify(fields(token))),
          output
        )
      )
    if (tokens.length === 0)
      return yield* screen.answer("No tokens yet. Make one: tollgate tokens add NAME --scope view\n")
    yield* screen.answer(tokens.map((token) => row(token, now)).join(""))
  }).pipe(services)

/** A token of that name is not there. */
export class TokenNotFound extends Schema.TaggedError<TokenNotFound>()("TokenNotFound", { name: Schema.String }) {
  override get message() {
    return `There is no token ${this.name}. tollgate tokens list shows those there are.`
  }
}

/** Revokes a token. */
export const revoke = ({ json, name }: { readonly name: string; readonly json: boolean }) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const store = yield* TokenStore
    const token = (yield* store.list).find((one) => one.name === name)
    if (token === undefined || !(yield* store.revoke(name))) return yield* new TokenNotFound({ name })
    if (json) return yield* JsonOutput.document({ ...fields(token), revoked: true })
    yield* screen.answer(`revoked ${name}\n`)
  }).pipe(services)
