import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import { systemReason } from "../system/errno.ts"
import { makeDirectory } from "../system/makeDirectory.ts"
import { replaceFile } from "../system/replaceFile.ts"
import { syncDirectory } from "../system/syncDirectory.ts"
import { isPlain } from "../policy/path/isPlain.ts"
import { reclaim, temporaryName } from "../system/Temporary.ts"
import { type Break, type Head, start } from "./AuditChain.ts"
import { keyBytes } from "./glance.ts"

/** The key or the head of the audit cannot be used. */
export class AuditAnchorFailed extends Schema.TaggedError<AuditAnchorFailed>()("AuditAnchorFailed", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The audit's ${this.file} cannot be used: ${this.reason}. Nothing is approved without an audit; repair the file.`
  }
}

/** Where the chain was last known to end, and whether it was ever found broken. */
export interface Anchored {
  readonly head: Head
  readonly broken: Break | undefined
}

/** The secret that signs the audit, and its signed head; both outside every workspace. */
export interface Anchor {
  readonly key: Uint8Array
  readonly read: Effect.Effect<Anchored, AuditAnchorFailed>
  /**
   * Moves forward only, and not at all once the chain is broken. It outlives the process at any moment, and a loss of power but
   * for the last second: then the head is an earlier one, from which the chain leads on.
   */
  readonly write: (head: Head) => Effect.Effect<void, AuditAnchorFailed>
  /** Has what was written outlive a loss of power. */
  readonly sync: Effect.Effect<void, AuditAnchorFailed>
  /** Says for good that the chain is broken; the first break counts. */
  readonly break: (broken: Break) => Effect.Effect<void, AuditAnchorFailed>
}

/** What the database knows of the audit when it is opened. */
export interface Facts<E> {
  /** The last entry; `start` if the audit is empty. */
  readonly last: Head
  /** The head anchored beside the database; unset if the last writer was a version that signed none. */
  readonly witness: Head | undefined
  /** The first entry that is wrong behind a head that should be in the chain; nothing where the chain leads from it to its end. */
  readonly faultBehind: (key: Uint8Array, head: Head) => Effect.Effect<Break | undefined, E>
}

const HeadFile = Schema.parseJson(
  Schema.Struct({
    id: Schema.Number,
    hash: Schema.String,
    broken: Schema.optional(Schema.Struct({ entry: Schema.Number, reason: Schema.String })),
    signature: Schema.optional(Schema.String)
  })
)
const decode = Schema.decodeUnknownOption(HeadFile)

const sign = (key: Uint8Array, { broken, head: { hash, id } }: Anchored): string =>
  crypto
    .createHmac("sha256", key)
    .update(JSON.stringify(["audit.head", id, hash, broken?.entry ?? null, broken?.reason ?? null]))
    .digest("hex")

/** Bytes of a head without a break: always as many, so that one can be written in the place of another. */
const headBytes = 256
const syncMillis = 1000

const textOf = (key: Uint8Array, anchored: Anchored): string =>
  JSON.stringify({ ...anchored.head, broken: anchored.broken, signature: sign(key, anchored) }).padEnd(headBytes)

type Found =
  | { readonly _tag: "Missing" }
  | { readonly _tag: "Forged" }
  | { readonly _tag: "Unsigned"; readonly anchored: Anchored }
  | { readonly _tag: "Signed"; readonly anchored: Anchored }

const missing: Break = { entry: 1, reason: "its head is missing, so entries may be missing too" }
const forged: Break = { entry: 1, reason: "its head was changed, so entries may be missing too" }

const foundIn = (text: string, key: Uint8Array): Found => {
  const decoded = decode(text)
  if (Option.isNone(decoded)) return { _tag: "Forged" }
  const { broken, hash, id, signature } = decoded.value
  const anchored = { head: { id, hash }, broken }
  if (signature === undefined) return { _tag: "Unsigned", anchored }
  return signature === sign(key, anchored) ? { _tag: "Signed", anchored } : { _tag: "Forged" }
}

/** How often a head is read that another process may be writing at the moment. */
const attempts = 3

/** Throws what the system says. */
const find = (file: string, key: Uint8Array): Found => {
  let found: Found = { _tag: "Missing" }
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (!isPlain(file)) return { _tag: "Missing" }
    found = foundIn(fs.readFileSync(file, "utf8"), key)
    if (found._tag !== "Forged") return found
  }
  return found
}

const { O_NOFOLLOW = 0, O_RDWR } = fs.constants

/** A whole head as its file has it. */
interface Written {
  readonly id: number
  readonly bytes: Buffer
}

const signedIn = (bytes: Buffer, key: Uint8Array): Written | undefined => {
  const known = foundIn(bytes.toString("utf8"), key)
  return known._tag === "Signed" && known.anchored.broken === undefined
    ? { id: known.anchored.head.id, bytes }
    : undefined
}

/**
 * Writes a head in the place of an earlier one that is signed and whole, and gives what is there then; nothing where it did not.
 * The bytes that this process wrote last need no look at their signature. Whoever replaces the file meanwhile, as a break
 * does, has the last word. Throws what the system says.
 */
const overwrite = (
  file: string,
  key: Uint8Array,
  head: Head,
  own: Written | undefined,
  isDue: () => boolean
): Written | undefined => {
  const handle = fs.openSync(file, O_RDWR | O_NOFOLLOW)
  try {
    const status = fs.fstatSync(handle)
    if (!status.isFile() || status.size !== headBytes) return undefined
    const before = Buffer.alloc(headBytes)
    fs.readSync(handle, before, 0, headBytes, 0)
    let now = own?.bytes.equals(before) === true ? own : signedIn(before, key)
    if (now === undefined) return undefined
    if (now.id < head.id) {
      const bytes = Buffer.from(textOf(key, { head, broken: undefined }))
      if (bytes.length !== headBytes) return undefined
      fs.writeSync(handle, bytes, 0, headBytes, 0)
      now = { id: head.id, bytes }
    }
    if (isDue()) fs.fdatasyncSync(handle)
    return now
  } finally {
    fs.closeSync(handle)
  }
}

const attempt = <A>(file: string, run: () => A): Effect.Effect<A, AuditAnchorFailed> =>
  Effect.try({ try: run, catch: (error) => new AuditAnchorFailed({ file, reason: systemReason(error).slice(0, 200) }) })

const writeNew = (file: string, content: string | Uint8Array): void =>
  fs.writeFileSync(file, content, { mode: 0o600, flag: "wx", flush: true })

/** Creates a key and a head atomically: either both exist or neither. */
const found = (directory: string, key: Uint8Array): void => {
  const fresh = temporaryName(`${directory}.`)
  makeDirectory(path.dirname(directory))
  fs.mkdirSync(fresh, { mode: 0o700 })
  try {
    writeNew(path.join(fresh, "audit.key"), key)
    writeNew(path.join(fresh, "audit.head"), textOf(key, { head: start, broken: undefined }))
    syncDirectory(fresh)
    fs.renameSync(fresh, directory)
    syncDirectory(path.dirname(directory))
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true })
  }
}

/** What the head that was found and the database say together; the head goes where the chain is known to be. */
const judge = <E>(
  found: Found,
  key: Uint8Array,
  { faultBehind, last, witness }: Facts<E>
): Effect.Effect<Anchored, E> => {
  const at = (head: Head, broken: Break | undefined) => Effect.succeed<Anchored>({ head, broken })
  const unanchored = witness === undefined
  if (found._tag === "Missing" && unanchored && last.id === 0) return at(start, undefined)
  if (found._tag === "Missing") return at(last, missing)
  // A version that signs no head may have been used again; then the chain must lead to what was anchored besides.
  if (found._tag === "Forged" || (found._tag === "Unsigned" && witness?.id === 0)) return at(last, forged)
  const { broken, head } = found.anchored
  if (broken !== undefined) return at(head, broken)
  const heads = witness === undefined || witness.id === 0 ? [head] : [head, witness]
  return Effect.map(
    Effect.forEach(heads, (one) => faultBehind(key, one)),
    (faults) => {
      const fault = faults.find((one) => one !== undefined)
      return fault === undefined ? { head: last, broken: undefined } : { head, broken: fault }
    }
  )
}

/**
 * Opens the key and the head in a directory that only its owner can enter. Makes both if there was no audit yet; marks
 * the audit as broken for good if only one of them exists or the chain does not lead to its head. Call it while no
 * other process can write.
 */
export const open = <E>(directory: string, facts: Facts<E>): Effect.Effect<Anchor, AuditAnchorFailed | E> =>
  Effect.gen(function* () {
    const keyFile = path.join(directory, "audit.key")
    const headFile = path.join(directory, "audit.head")
    const write = (key: Uint8Array, anchored: Anchored) => replaceFile(headFile, textOf(key, anchored))
    const isNew = facts.last.id === 0 && (facts.witness === undefined || facts.witness.id === 0)
    const key = yield* attempt(keyFile, () => {
      reclaim(path.dirname(directory), `${path.basename(directory)}.`)
      reclaim(directory, "audit.head.")
      if (isPlain(keyFile)) return new Uint8Array(fs.readFileSync(keyFile))
      const fresh = new Uint8Array(crypto.randomBytes(keyBytes))
      const isEmpty = !fs.existsSync(directory) || fs.readdirSync(directory).length === 0
      if (isNew && isEmpty) found(directory, fresh)
      else {
        makeDirectory(directory)
        const broken = { entry: 1, reason: "its key was missing; what it signed cannot be checked" }
        write(fresh, { head: facts.last, broken })
        writeNew(keyFile, fresh)
        syncDirectory(directory)
      }
      return fresh
    })
    if (key.length !== keyBytes) {
      return yield* new AuditAnchorFailed({ file: keyFile, reason: `it is not ${keyBytes} bytes long` })
    }
    const before = yield* attempt(headFile, () => find(headFile, key))
    const anchored = yield* judge(before, key, facts)
    const isSaid = before._tag === "Signed" && textOf(key, before.anchored) === textOf(key, anchored)
    if (!isSaid) yield* attempt(headFile, () => write(key, anchored))
    const now = (): Anchored => {
      const known = find(headFile, key)
      return known._tag === "Signed"
        ? known.anchored
        : { head: start, broken: known._tag === "Missing" ? missing : forged }
    }
    let synced = performance.now()
    let last: Head | undefined
    let written: Written | undefined
    const put = (head: Head, isDue: () => boolean): void => {
      written = fs.existsSync(headFile) ? overwrite(headFile, key, head, written, isDue) : undefined
      if (written !== undefined) return
      const known = now()
      if (known.broken === undefined && known.head.id < head.id) write(key, { head, broken: undefined })
    }
    const isDue = (): boolean => {
      const time = performance.now()
      if (time - synced < syncMillis) return false
      synced = time
      last = undefined
      return true
    }
    return {
      key,
      read: attempt(headFile, now),
      write: (head) =>
        attempt(headFile, () => {
          last = head
          put(head, isDue)
        }),
      sync: attempt(headFile, () => {
        if (last !== undefined) put(last, () => true)
        last = undefined
      }),
      break: (broken) =>
        attempt(headFile, () => {
          const { _tag } = find(headFile, key)
          const known = now()
          if (_tag !== "Signed" || known.broken === undefined) write(key, { ...known, broken: known.broken ?? broken })
        })
    }
  })

/** A key of this process alone. */
export const memory: Effect.Effect<Anchor> = Effect.sync(() => {
  let anchored: Anchored = { head: start, broken: undefined }
  return {
    key: new Uint8Array(crypto.randomBytes(keyBytes)),
    read: Effect.sync(() => anchored),
    write: (head) =>
      Effect.sync(() => {
        anchored = { ...anchored, head }
      }),
    sync: Effect.void,
    break: (broken) =>
      Effect.sync(() => {
        anchored = { ...anchored, broken: anchored.broken ?? broken }
      })
  }
})
