import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { isDeepStrictEqual } from "node:util"
import { systemReason } from "../../system/errno.ts"
import { makeDirectory } from "../../system/makeDirectory.ts"
import { replaceFile } from "../../system/replaceFile.ts"
import { throughLinks } from "../../system/throughLinks.ts"
import { syncDirectory } from "../../system/syncDirectory.ts"
import { temporaryName } from "../../system/Temporary.ts"
import * as Jsonc from "../../text/Jsonc.ts"
import { isData } from "../ForeignCall.ts"
import { type Commands, commandOf, commandsIn, isEntry, isOwn, mentions } from "./Entry.ts"
import type { Setup } from "./Setup.ts"

/** The file of an agent cannot be changed. */
export class NotInstalled extends Schema.TaggedError<NotInstalled>()("NotInstalled", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} was not changed: ${this.reason}`
  }
}

const isGroup = (key: unknown): boolean => key === "matcher"

/** A change of one file; `undefined` is a file that is not there. */
export interface Change {
  readonly file: string
  readonly before: string | undefined
  readonly after: string | undefined
}

const attempt = <A>(file: string, run: () => A): Effect.Effect<A, NotInstalled> =>
  Effect.try({
    try: run,
    catch: (error) =>
      new NotInstalled({ file, reason: error instanceof Jsonc.NotJsonc ? error.message : systemReason(error) })
  })

/** Bytes of a settings file. */
const maximum = 4 * 1024 * 1024

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** What is in a file now. */
export const contentOf = (file: string): Effect.Effect<string | undefined, NotInstalled> =>
  attempt(file, () => {
    const found = fs.statSync(file, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    if (!found.isFile()) throw new Error("it is no file")
    if (found.size > maximum) throw new Error(`it is larger than ${maximum} bytes`)
    return decoder.decode(fs.readFileSync(file))
  })

const without = (agent: string, text: string): string => Jsonc.removed(text, isEntry(agent), isGroup)

/** What a file is to become so that an agent runs the hook, whatever entries of ours it has now. */
export const installing = (
  setup: Setup,
  file: string,
  argv: ReadonlyArray<string>
): Effect.Effect<Change, NotInstalled> =>
  Effect.gen(function* () {
    const before = yield* contentOf(file)
    const command = commandOf(argv)
    if (setup.whole !== undefined) {
      if (before !== undefined && before.trim() !== "" && !runsIn(setup, before))
        return yield* new NotInstalled({ file, reason: "it has content that is not Tollgate's; move it away first" })
      return { file, before, after: setup.whole(argv, command) }
    }
    const after = yield* attempt(file, () => {
      if (isInstalled(setup, before ?? "", command)) return before
      const start = Object.entries(setup.members ?? {}).reduce(
        (text, [key, value]) =>
          text.trim() === "" ? `${JSON.stringify({ [key]: value }, null, 2)}\n` : Jsonc.completed(text, key, value),
        without(setup.agent, before ?? "")
      )
      return (setup.entries?.(command) ?? []).reduce((text, { keys, value }) => {
        const more = Jsonc.appended(text, keys, value)
        if (more === undefined) throw new Error(`${keys.join(".")} is something else there`)
        return more
      }, start)
    })
    return { file, before, after }
  })

/** Where what a file was before is kept, for the user alone. */
const keptAt = (state: string, file: string): string =>
  path.join(state, "hooks", "before", `${crypto.createHash("sha256").update(file).digest("hex").slice(0, 32)}.json`)

const Kept = Schema.parseJson(
  Schema.Struct({ file: Schema.String, before: Schema.NullOr(Schema.String), after: Schema.String })
)
const decodeKept = Schema.decodeUnknownOption(Kept)

const digest = (text: string): string => crypto.createHash("sha256").update(text).digest("hex")

/** What a file is to become without the hook: as it was, where nobody has changed it since, else without our entries. */
export const uninstalling = (setup: Setup, file: string, state: string): Effect.Effect<Change, NotInstalled> =>
  Effect.gen(function* () {
    const before = yield* contentOf(file)
    if (before === undefined) return { file, before, after: before }
    const kept = yield* Effect.option(attempt(file, () => fs.readFileSync(keptAt(state, file), "utf8")))
    const known = Option.flatMap(kept, decodeKept)
    if (Option.isSome(known) && known.value.after === digest(before)) {
      const original = known.value.before
      // It was installed over an entry of ours, which is not what is to come back.
      const isClean = original === null || (yield* attempt(file, () => !hasOurs(setup, original)))
      if (isClean) return { file, before, after: original ?? undefined }
    }
    if (setup.whole !== undefined) return { file, before, after: runsIn(setup, before) ? undefined : before }
    return { file, before, after: yield* attempt(file, () => without(setup.agent, before)) }
  })

/** What a file of our own runs, which the user may have changed. */
const ranBy = ({ agent, ran }: Setup, text: string): Commands => {
  if (ran === undefined) return commandsIn(agent, text)
  const command = ran(text)
  if (command === undefined) return { own: [], others: [] }
  return isOwn(agent, command) ? { own: [command], others: [] } : { own: [], others: [command] }
}

/** Whether a file of our own runs the hook, and nothing that the user wrote. */
const runsIn = (setup: Setup, text: string): boolean => {
  const found = Option.getOrUndefined(Option.liftThrowable(ranBy)(setup, text))
  return found !== undefined && found.own.length > 0 && found.others.length === 0
}

/** Writes a change as a whole: a link stays one, the file keeps its mode, and nobody's change in between is lost. */
export const perform = ({ after, before, file }: Change, state: string): Effect.Effect<void, NotInstalled> =>
  Effect.gen(function* () {
    const now = yield* contentOf(file)
    if (now !== before) {
      return yield* new NotInstalled({ file, reason: "it has been changed meanwhile; run the command again" })
    }
    yield* attempt(file, () => {
      const target = throughLinks(file)
      if (after === undefined) {
        fs.rmSync(target, { force: true })
        fs.rmSync(keptAt(state, file), { force: true })
        return
      }
      makeDirectory(path.dirname(target))
      const mode = now === undefined ? 0o600 : fs.statSync(target).mode & 0o777
      const fresh = temporaryName(`${target}.`)
      try {
        fs.accessSync(now === undefined ? path.dirname(target) : target, fs.constants.W_OK)
        fs.writeFileSync(fresh, after, { mode, flag: "wx", flush: true })
        fs.chmodSync(fresh, mode)
        fs.renameSync(fresh, target)
        syncDirectory(path.dirname(target))
      } finally {
        fs.rmSync(fresh, { force: true })
      }
    })
  })

/** Keeps what a file was before the hook was entered, so that it can be as it was again. */
export const remember = ({ after, before, file }: Change, state: string): Effect.Effect<void, NotInstalled> =>
  attempt(file, () => {
    const kept = keptAt(state, file)
    if (after === undefined) return
    const earlier = Option.flatMap(Option.liftThrowable(() => fs.readFileSync(kept, "utf8"))(), decodeKept)
    // A second installation over the first has the same file to go back to.
    const original =
      Option.isSome(earlier) && earlier.value.after === digest(before ?? "") ? earlier.value.before : (before ?? null)
    replaceFile(kept, JSON.stringify({ file, before: original, after: digest(after) }))
  })

/** Forgets it. */
export const forget = (file: string, state: string): Effect.Effect<void, NotInstalled> =>
  attempt(file, () => fs.rmSync(keptAt(state, file), { force: true }))

const hasOurs = (setup: Setup, text: string): boolean =>
  setup.whole === undefined ? commandsIn(setup.agent, text).own.length > 0 : runsIn(setup, text)

/** Whether every entry stands where the agent looks for it, as it is written by us, and no other of ours does. */
const isInstalled = (setup: Setup, text: string, command: string): boolean => {
  const { own: found } = commandsIn(setup.agent, text)
  const wanted = setup.entries?.(command) ?? []
  const node = Jsonc.parse(text)
  const json = node === undefined ? undefined : Jsonc.valueOf(node)
  return (
    found.length === wanted.length &&
    wanted.every(({ keys, value }) => {
      const list = keys.reduce<unknown>((at, key) => (isData(at) ? at[key] : undefined), json)
      return Array.isArray(list) && list.some((one) => isDeepStrictEqual(one, value))
    })
  )
}

/** How it stands with the hook in one file. */
export type State =
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Installed" }
  /** It runs another program, or the same by another path. */
  | { readonly _tag: "Other"; readonly command: string }
  /** It is not entered as it has to be for every call to be judged. */
  | { readonly _tag: "Changed" }
  | { readonly _tag: "Duplicated"; readonly times: number }
  /** The user has written what names the hook, which may run it or not. */
  | { readonly _tag: "Foreign"; readonly command: string }
  | { readonly _tag: "Unreadable"; readonly reason: string }

/** How it stands where nothing is entered by us: what the user wrote himself may judge calls, or not. */
const unwritten = ([command]: ReadonlyArray<string>): State =>
  command === undefined ? { _tag: "Absent" } : { _tag: "Foreign", command }

export const stateOf = (setup: Setup, file: string, argv: ReadonlyArray<string>): Effect.Effect<State> =>
  Effect.gen(function* () {
    const text = yield* contentOf(file)
    if (text === undefined) return { _tag: "Absent" } as const
    const command = commandOf(argv)
    if (setup.whole !== undefined) {
      if (text === setup.whole(argv, command)) return { _tag: "Installed" } as const
      return runsIn(setup, text)
        ? ({ _tag: "Other", command: "the file differs from what would be written" } as const)
        : unwritten(yield* attempt(file, () => ranBy(setup, text).others))
    }
    const { others, own: found } = yield* attempt(file, () => commandsIn(setup.agent, text))
    const wanted = setup.entries?.(command).length ?? 0
    if (found.length === 0) return unwritten(others.filter((one) => mentions(setup.agent, one)))
    if (found.length > wanted) return { _tag: "Duplicated", times: found.length } as const
    const other = found.find((one) => one !== command)
    if (other !== undefined) return { _tag: "Other", command: other } as const
    return { _tag: isInstalled(setup, text, command) ? "Installed" : "Changed" } as const
  }).pipe(Effect.catchAll(({ reason }) => Effect.succeed<State>({ _tag: "Unreadable", reason })))
