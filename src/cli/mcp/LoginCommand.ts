import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as path from "node:path"
import { Configuration } from "../../config/Configuration.ts"
import * as Records from "../../host/Stores.ts"
import { Surroundings } from "../../host/Surroundings.ts"
import { webOf } from "../../host/webOf.ts"
import { identityOf, isProgram, type KnownServer } from "../../mcp/KnownServer.ts"
import { authorize } from "../../mcp/login/authorize.ts"
import { revoke } from "../../mcp/login/revoke.ts"
import type { HttpServer } from "../../mcp/McpServer.ts"
import { standingWords } from "../../ui/serverWords.ts"
import { duration } from "../../text/duration.ts"
import { makeVisible } from "../../text/visible.ts"
import { openInBrowser } from "../openInBrowser.ts"
import { UsageError } from "../Outcome.ts"
import { Screen } from "../terminal/Screen.ts"
import { wrap } from "../terminal/Layout.ts"
import { named, slotOf, stateFor } from "./slots.ts"

const services = Layer.mergeAll(Records.decided, Screen.layer({ split: false })).pipe(
  Layer.provideMerge(Configuration.layer())
)

const say = (line: string) =>
  Effect.flatMap(Screen, ({ answer, width }) => answer(`${wrap(makeVisible(line), width()).join("\n")}\n`))

/** A server that is reached by a URL, as no other has a login. */
const reached = (known: KnownServer): Effect.Effect<HttpServer, UsageError> => {
  const { name, server } = known
  if (isProgram(server)) {
    return new UsageError({ reason: `${name} is a program of this machine; only a server with a URL has a login.` })
  }
  const own = Object.keys({ ...server.headers, ...known.given }).find((key) => key.toLowerCase() === "authorization")
  return own === undefined
    ? Effect.succeed(server)
    : new UsageError({
        reason: `${name} is configured with the header ${own}, which counts before a login. Remove it first.`
      })
}

const loginOf = (known: KnownServer) =>
  Effect.map(
    Effect.flatMap(stateFor(known), ({ login }) => Effect.orElseSucceed(login.read, () => undefined)),
    (found) => (found?.identity === identityOf(known) ? found : undefined)
  )

/** How it stands with the login at a server, without anything of its tokens. */
export const told = (known: KnownServer) =>
  Effect.gen(function* () {
    const found = yield* loginOf(known)
    if (found === undefined) return []
    const left = (found.expiresAt ?? 0) - (yield* Clock.currentTimeMillis)
    const until =
      found.refreshToken !== undefined
        ? "renewed by itself"
        : found.expiresAt === undefined
          ? "without an end"
          : left > 0
            ? `for ${duration(left)} more`
            : `ended; tollgate mcp login ${known.name}`
    return [`logged in at ${found.authority.issuer}${found.scope === undefined ? "" : ` (${found.scope})`}, ${until}`]
  })

const variableOf = (env: Readonly<Record<string, string | undefined>>) => (name: string) =>
  Option.map(Option.fromNullable(env[name]), (value) => Redacted.make(value))

/** Logs in at a server in a browser, and keeps the tokens where only the user can read them. */
export const login = ({
  name,
  noBrowser,
  scope
}: {
  readonly name: string
  readonly scope: Option.Option<string>
  readonly noBrowser: boolean
}) =>
  Effect.gen(function* () {
    const { settings } = yield* Configuration
    const { env } = yield* Surroundings
    const screen = yield* Screen
    const known = yield* named(name)
    const server = yield* reached(known)
    const state = yield* stateFor(known)
    const found = yield* authorize({
      known,
      server,
      scope,
      rules: webOf(settings).rules,
      variable: variableOf(env),
      open: (url) =>
        Effect.gen(function* () {
          yield* say(`Log in at ${url.host} for ${name}. The address, if no browser shows it:`)
          yield* screen.answer(`  ${makeVisible(url.href)}\n`)
          if (!noBrowser) yield* openInBrowser(path.dirname(state.login.file), url.href)
        }).pipe(Effect.provideService(Screen, screen))
    })
    yield* state.login.write(found)
    yield* say(`Logged in at ${found.authority.issuer} for ${name}; tollgate mcp logout ${name} forgets it.`)
    const slot = yield* slotOf(known)
    yield* slot.refresh
    const standings = yield* slot.standings
    const next = standings.every((one) => one.state === "approved")
      ? ""
      : ` tollgate mcp trust ${name} approves its tools.`
    yield* say(`${name}: ${standingWords(standings)}.${next}`)
  }).pipe(Effect.scoped, Effect.provide(services))

/** Forgets a login, and tells the server that it has ended; what that came to, in words, where there was one. */
export const forget = (known: KnownServer) =>
  Effect.gen(function* () {
    const { settings } = yield* Configuration
    const { env } = yield* Surroundings
    const { login } = yield* stateFor(known)
    const found = yield* loginOf(known)
    yield* login.remove
    if (found === undefined) return undefined
    const taken =
      isProgram(known.server) ||
      (yield* revoke({
        server: known.server,
        login: found,
        rules: webOf(settings).rules,
        variable: variableOf(env)
      }).pipe(Effect.timeoutTo({ duration: Duration.seconds(20), onSuccess: (done) => done, onTimeout: () => false })))
    const rest = taken ? "" : ` ${found.authority.issuer} was not told, and may take its tokens until they end.`
    return `Logged out of ${known.name}.${rest}`
  })

/** Ends a login. */
export const logout = (name: string) =>
  Effect.gen(function* () {
    const told = yield* forget(yield* named(name))
    yield* say(told ?? `There was no login at ${name}.`)
  }).pipe(Effect.scoped, Effect.provide(services))
