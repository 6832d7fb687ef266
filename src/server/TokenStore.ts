import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import { errnoOf, systemReason } from "../system/errno.ts"
import { AccessScope } from "./Access.ts"
import { digestOf, newSecret } from "./Secret.ts"

/** The name of a token, as decisions and the audit say it. */
export const TokenName = Schema.String.pipe(
  Schema.pattern(/^[a-z\d][a-z\d._-]{0,39}$/i, { message: () => "a name has 1 to 40 letters, digits and . _ -" }),
  Schema.filter((name) => name !== "local" && name !== "user", { message: () => "local and user are not free" })
)

/** A token that the user has added; of its secret only the digest is kept. */
export const StoredToken = Schema.Struct({
  name: TokenName,
  scopes: Schema.NonEmptyArray(AccessScope),
  /** SHA-256, in hexadecimal. */
  digest: Schema.String.pipe(Schema.pattern(/^[\da-f]{64}$/)),
  /** Epoch milliseconds. */
  createdAt: Schema.Number,
  expiresAt: Schema.optionalWith(Schema.Number, { exact: true })
})
export type StoredToken = typeof StoredToken.Type

/** There is a token of that name already. */
export class TokenExists extends Schema.TaggedError<TokenExists>()("TokenExists", { name: Schema.String }) {
  override get message() {
    return `There is a token ${this.name} already. Revoke it first, or choose another name.`
  }
}

/** The tokens could not be read or written. */
export class TokensUnusable extends Schema.TaggedError<TokensUnusable>()("TokensUnusable", {
  place: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The tokens in ${this.place} cannot be used: ${this.reason}`
  }
}

export interface NewToken {
  readonly name: string
  readonly scopes: readonly [AccessScope, ...Array<AccessScope>]
  /** Epoch milliseconds; none if it lasts until it is revoked. */
  readonly expiresAt?: number
}

/** The tokens of the user, each a file of its own beside the key of the audit, where no tool reads or writes. */
export class TokenStore extends Context.Tag("tollgate/server/TokenStore")<
  TokenStore,
  {
    /** By name. */
    readonly list: Effect.Effect<ReadonlyArray<StoredToken>, TokensUnusable>
    /** Gives the secret, which is nowhere else. */
    readonly add: (token: NewToken) => Effect.Effect<Redacted.Redacted, TokenExists | TokensUnusable>
    /** Whether there was one; it counts no more, also for servers that run. */
    readonly revoke: (name: string) => Effect.Effect<boolean, TokensUnusable>
  }
>() {
  /** In files of that directory. */
  static readonly layerFiles = (directory: string): Layer.Layer<TokenStore> =>
    Layer.sync(TokenStore, () => make(directory))
}

const decode = Schema.decodeUnknownEither(Schema.parseJson(StoredToken))
const isName = Schema.is(TokenName)

/** How long after a change of the directory what was read of it is the latest, in milliseconds. */
const settled = 2000

/** What keeps one file from being read, and no other. */
const unreadable: ReadonlySet<string> = new Set(["ENOENT", "EACCES", "EPERM", "EISDIR", "ELOOP"])

const make = (directory: string): TokenStore["Type"] => {
  const failed = (error: unknown) => new TokensUnusable({ place: directory, reason: systemReason(error) })
  const fileOf = (name: string): string => path.join(directory, `${name}.json`)
  let read: { readonly stamp: string; readonly tokens: ReadonlyArray<StoredToken> } | undefined

  /** Changes whenever a token is added or removed; a change within one tick of the file system is not seen by it. */
  const stampOf = () => {
    const found = fs.statSync(directory, { throwIfNoEntry: false, bigint: true })
    return found === undefined ? undefined : { text: `${found.ino} ${found.mtimeNs}`, millis: Number(found.mtimeMs) }
  }
  /** Nothing where that file alone cannot be read: it was revoked since the directory was read, or is somebody else's. */
  const textIn = (name: string): string | undefined => {
    try {
      return fs.readFileSync(path.join(directory, name), "utf8")
    } catch (error) {
      if (unreadable.has(errnoOf(error) ?? "")) return undefined
      throw error
    }
  }
  const tokenIn = (name: string, text: string | undefined): ReadonlyArray<StoredToken> => {
    const found = decode(text)
    // What cannot be read lets nobody in.
    return Either.isRight(found) && `${found.right.name}.json` === name ? [found.right] : []
  }
  return {
    list: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.try({
        try: () => {
          const stamp = stampOf()
          if (stamp === undefined) return []
          if (read?.stamp === stamp.text) return read.tokens
          const files = fs
            .readdirSync(directory)
            .filter((name) => name.endsWith(".json"))
            .sort()
            .map((name) => ({ name, text: textIn(name) }))
          const tokens = files.flatMap(({ name, text }) => tokenIn(name, text))
          // One that can be read again does not change the directory.
          const isWhole = files.every(({ text }) => text !== undefined)
          read = isWhole && now - stamp.millis > settled ? { stamp: stamp.text, tokens } : undefined
          return tokens
        },
        catch: failed
      })
    ),
    add: ({ name, ...token }) =>
      Effect.gen(function* () {
        const secret = yield* newSecret
        const createdAt = yield* Clock.currentTimeMillis
        const digest = digestOf(Redacted.value(secret)).toString("hex")
        const stored: StoredToken = { name, ...token, digest, createdAt }
        yield* Effect.try({
          try: () => {
            fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
            fs.writeFileSync(fileOf(name), `${JSON.stringify(stored)}\n`, { mode: 0o600, flag: "wx" })
          },
          catch: (error) => (errnoOf(error) === "EEXIST" ? new TokenExists({ name }) : failed(error))
        })
        return secret
      }),
    revoke: (name) =>
      Effect.try({
        try: () => {
          if (!isName(name) || !fs.existsSync(fileOf(name))) return false
          fs.rmSync(fileOf(name))
          return true
        },
        catch: failed
      })
  }
}
