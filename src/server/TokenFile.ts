import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as path from "node:path"
import { systemReason } from "../system/errno.ts"
import { temporaryName } from "../system/Temporary.ts"

/** The file that says how to reach a server could not be written. */
export class TokenFileUnwritable extends Schema.TaggedError<TokenFileUnwritable>()("TokenFileUnwritable", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} cannot be written: ${this.reason}. It keeps the token of this server for your programs.`
  }
}

/** Where the token of a server is while it runs: JSON with `url`, `token` and `pid`, for its user alone. */
export const fileOf = (directory: string, port: number): string => path.join(directory, "servers", `${port}.json`)

/** Writes the token of a server where only the user can read it, until the scope ends. */
export const write = (
  file: string,
  { token, url }: { readonly url: string; readonly token: Redacted.Redacted }
): Effect.Effect<void, TokenFileUnwritable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
        fs.chmodSync(path.dirname(file), 0o700)
        const fresh = temporaryName(`${file}.`)
        const text = JSON.stringify({ url, token: Redacted.value(token), pid: process.pid })
        fs.writeFileSync(fresh, `${text}\n`, { flag: "wx", mode: 0o600 })
        fs.renameSync(fresh, file)
      },
      catch: (error) => new TokenFileUnwritable({ file, reason: systemReason(error) })
    }),
    () => Effect.sync(() => fs.rmSync(file, { force: true }))
  )
