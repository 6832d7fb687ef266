import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { systemReason } from "../system/errno.ts"
import { replaceFile } from "../system/replaceFile.ts"
import type { KnownServer } from "./KnownServer.ts"
import { Login } from "./login/Login.ts"
import { Manifest } from "./Manifest.ts"
import { Pins } from "./Pins.ts"

/** What is kept of servers cannot be read or written. */
export class StateUnusable extends Schema.TaggedError<StateUnusable>()("StateUnusable", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file}: ${this.reason}. None of the tools of its server are used until they are approved anew.`
  }
}

/** Bytes of a file. */
const largest = 128 * 1024 * 1024

/** A file of one server: what it offered, or what was approved of it. */
export interface StateFile<A> {
  readonly file: string
  /** Nothing where there is no file. */
  readonly read: Effect.Effect<A | undefined, StateUnusable>
  readonly write: (value: A) => Effect.Effect<void, StateUnusable>
  readonly remove: Effect.Effect<void, StateUnusable>
}

/** A kind of file; how it is read is compiled once, with the first one. */
const kind = <A, I>(schema: Schema.Schema<A, I>): ((file: string) => StateFile<A>) => {
  let compiled: ((text: string) => Either.Either<A, unknown>) | undefined
  const decode = (text: string) => (compiled ??= Schema.decodeUnknownEither(Schema.parseJson(schema)))(text)
  return (file) => make(decode, file)
}

const make = <A>(decode: (text: string) => Either.Either<A, unknown>, file: string): StateFile<A> => {
  const unusable = (error: unknown) => new StateUnusable({ file, reason: systemReason(error) })
  let known: { readonly stamp: string; readonly value: A } | undefined
  return {
    file,
    read: Effect.suspend(() => {
      try {
        const found = fs.statSync(file, { throwIfNoEntry: false })
        if (found === undefined) return Effect.succeed(undefined)
        const stamp = `${found.ino} ${found.mtimeMs} ${found.size}`
        if (known?.stamp === stamp) return Effect.succeed(known.value)
        if (!found.isFile() || found.size > largest) return new StateUnusable({ file, reason: "it is no file of ours" })
        const decoded = decode(fs.readFileSync(file, "utf8"))
        if (Either.isLeft(decoded)) return new StateUnusable({ file, reason: "it was changed by another program" })
        known = { stamp, value: decoded.right }
        return Effect.succeed(decoded.right)
      } catch (error) {
        return unusable(error)
      }
    }),
    write: (value) => Effect.try({ try: () => replaceFile(file, `${JSON.stringify(value)}\n`), catch: unusable }),
    remove: Effect.try({ try: () => fs.rmSync(file, { force: true }), catch: unusable })
  }
}

/** The files of a server, which no tool reaches. */
export interface ServerState {
  readonly manifest: StateFile<Manifest>
  readonly pins: StateFile<Pins>
  /** The user's login at it, with its tokens. */
  readonly login: StateFile<Login>
  /** The directory of the project for which they are. */
  readonly project: string
}

const [manifestAt, pinsAt, loginAt] = [kind(Manifest), kind(Pins), kind(Login)] as const

/** The files of a server; those of a project's or an editor's are its own. */
export const stateOf = (
  directory: string,
  { name, origin }: Pick<KnownServer, "name" | "origin">,
  project: string
): ServerState => {
  const hash = crypto.createHash("sha256").update(project).digest("hex").slice(0, 16)
  const of = origin === "user" ? "" : origin === "project" ? `.${hash}` : `.editor-${hash}`
  const at = (kind: string) => path.join(directory, `${name}${of}.${kind}.json`)
  return { manifest: manifestAt(at("manifest")), pins: pinsAt(at("pins")), login: loginAt(at("login")), project }
}

/** Says what is kept of some servers: as long as it is the same, so are their tools. */
export const stampOf = (states: ReadonlyArray<ServerState>): string =>
  states
    .flatMap(({ manifest, pins }) => [manifest.file, pins.file])
    .map((file) => {
      const found = fs.statSync(file, { throwIfNoEntry: false })
      return found === undefined ? "" : `${found.ino} ${found.mtimeMs} ${found.size}`
    })
    .join("|")
