import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as crypto from "node:crypto"

/** What is compared and stored of a token, which is random enough to need no more. */
export const digestOf = (secret: string): Buffer => crypto.createHash("sha256").update(secret).digest()

/** A token, or the login of a browser: 256 random bits. */
export const newSecret: Effect.Effect<Redacted.Redacted> = Effect.sync(() =>
  Redacted.make(`tg_${crypto.randomBytes(32).toString("base64url")}`)
)
