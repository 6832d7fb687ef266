import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { because } from "../database/because.ts"
import { makeDirectory } from "../database/makeDirectory.ts"
import { replaceFile } from "../database/replaceFile.ts"
import type { Head } from "./AuditChain.ts"

/** The key or the anchor of the audit cannot be used. */
export class AuditAnchorFailed extends Schema.TaggedError<AuditAnchorFailed>()("AuditAnchorFailed", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The audit's ${this.file} cannot be used: ${this.reason}. Approvals are not given without an audit; repair the file.`
  }
}

/** The secret that signs the audit, and where its head was last known to be; both outside every workspace. */
export interface Anchor {
  readonly key: Uint8Array
  readonly read: Effect.Effect<Head | undefined, AuditAnchorFailed>
  /** Moves forward only. */
  readonly write: (head: Head) => Effect.Effect<void, AuditAnchorFailed>
}

const AnchorFile = Schema.parseJson(Schema.Struct({ id: Schema.Number, hash: Schema.String }))
const decode = Schema.decodeUnknown(AnchorFile)
const keyBytes = 32

const reasonOf = (error: unknown): string => because(error).slice(0, 200)

const attempt = <A>(file: string, run: () => A): Effect.Effect<A, AuditAnchorFailed> =>
  Effect.try({ try: run, catch: (error) => new AuditAnchorFailed({ file, reason: reasonOf(error) }) })

const readKey = (file: string): Uint8Array => {
  try {
    fs.writeFileSync(file, crypto.randomBytes(keyBytes), { mode: 0o600, flag: "wx" })
  } catch (error) {
    if (!fs.existsSync(file)) throw error
  }
  return new Uint8Array(fs.readFileSync(file))
}

/** Opens the key and the anchor in a directory that only its owner can enter; makes the key where there is none. */
export const open = (directory: string): Effect.Effect<Anchor, AuditAnchorFailed> =>
  Effect.gen(function* () {
    const keyFile = path.join(directory, "audit.key")
    const headFile = path.join(directory, "audit.head")
    const key = yield* attempt(keyFile, () => {
      makeDirectory(directory)
      return readKey(keyFile)
    })
    if (key.length !== keyBytes) {
      return yield* new AuditAnchorFailed({ file: keyFile, reason: `it has not ${keyBytes} bytes` })
    }
    const read = Effect.flatMap(
      attempt(headFile, () => (fs.existsSync(headFile) ? fs.readFileSync(headFile, "utf8") : undefined)),
      (text) =>
        text === undefined
          ? Effect.succeed(undefined)
          : Effect.mapError(
              decode(text),
              () => new AuditAnchorFailed({ file: headFile, reason: "it is not what was written" })
            )
    )
    return {
      key,
      read,
      write: (head) =>
        Effect.flatMap(read, (known) =>
          known !== undefined && known.id >= head.id
            ? Effect.void
            : attempt(headFile, () => replaceFile(headFile, JSON.stringify({ id: head.id, hash: head.hash })))
        )
    }
  })

/** A key of this process alone. */
export const memory: Effect.Effect<Anchor> = Effect.sync(() => {
  let head: Head | undefined
  return {
    key: new Uint8Array(crypto.randomBytes(keyBytes)),
    read: Effect.sync(() => head),
    write: (next) =>
      Effect.sync(() => {
        head = next
      })
  }
})
