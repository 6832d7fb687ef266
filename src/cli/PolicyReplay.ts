import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Rule } from "../approval/Rule.ts"
import { RuleBook } from "../approval/RuleBook.ts"
import { Configuration } from "../config/Configuration.ts"
import { UserRule } from "../config/UserRule.ts"
import { parametersOf } from "../hook/ToolTable.ts"
import { locate } from "../host/locate.ts"
import * as OwnCalls from "../host/OwnCalls.ts"
import type { PastCall } from "../host/PastCall.ts"
import * as redaction from "../host/redaction.ts"
import * as Stores from "../host/Stores.ts"
import { Surroundings } from "../host/Surroundings.ts"
import * as Pace from "../system/Pace.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { shownArguments } from "../redaction/shownArguments.ts"
import { recordedPlace } from "../runtime/recordedPlace.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { errnoOf, errnoText, systemReason } from "../system/errno.ts"
import { unmarked } from "../text/byteOrderMark.ts"
import { makeVisible, visibleJson } from "../text/visible.ts"
import { UsageError } from "./Outcome.ts"
import { inPlace, ofAgent, ofOwn, toolsThere } from "./policyReplay/judges.ts"
import { changes, type Judged, unjudged } from "./policyReplay/Judged.ts"
import { rendered, type Row, Tally } from "./policyReplay/Tally.ts"
import * as TranscriptFiles from "./policyReplay/TranscriptFiles.ts"
import { Trouble } from "./policyReplay/Trouble.ts"
import { parseSince } from "./Since.ts"
import { Screen } from "./terminal/Screen.ts"

export interface ReplayOptions {
  readonly files: ReadonlyArray<string>
  readonly since: Option.Option<string>
  /** Whose calls; everybody's if unset. */
  readonly agent: Option.Option<"tollgate" | "claude" | "codex">
  /** A file with rules that count besides. */
  readonly rules: Option.Option<string>
  readonly json: boolean
}

/** Bytes of a file of rules. */
const maxRules = 1024 * 1024
/** Sessions of ours that are looked into, the latest. */
const maxSessions = 100_000
/** Calls that are known again where a transcript goes on with another one. */
const maxKnown = 100_000

const RuleList = Schema.Array(UserRule)
const RuleFile = Schema.parseJson(
  Schema.Union(RuleList, Schema.Struct({ approvals: Schema.Struct({ rules: RuleList }) }))
)
const decodeRules = Schema.decodeUnknownEither(RuleFile, { onExcessProperty: "preserve" })

/** The rules of a file: a list of them, or a configuration that has some. */
const rulesIn = (file: string): Effect.Effect<ReadonlyArray<Rule>, UsageError, Surroundings> =>
  Effect.gen(function* () {
    const { directory } = yield* Surroundings
    const refused = (why: string) =>
      new UsageError({ reason: `The rules in ${makeVisible(file)} do not count: ${why}.` })
    const text = yield* Effect.try({
      try: () => {
        const found = path.resolve(directory, file)
        const { size } = fs.statSync(found)
        return size > maxRules ? undefined : unmarked(fs.readFileSync(found, "utf8"))
      },
      catch: (error) => refused(systemReason(error).replace(/^its directory .*/, "it does not exist"))
    })
    if (text === undefined) return yield* refused(`the file is larger than ${maxRules} bytes`)
    const read = decodeRules(text)
    if (Either.isLeft(read)) {
      return yield* refused('it holds no list of rules, nor a configuration with "approvals": {"rules": […]}')
    }
    const rules = "approvals" in read.right ? read.right.approvals.rules : read.right
    const book = RuleBook.make(rules, { root: directory, trusted: true })
    return Either.isLeft(book) ? yield* refused(makeVisible(book.left.message)) : rules
  })

type Emit = (call: PastCall, judged: Judged) => Effect.Effect<void>

/** Judges the calls of our own log, each where its session works. */
const ownCalls = (wanted: (call: PastCall) => boolean, since: number, emit: Emit) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const surroundings = yield* Surroundings
    const sessions = (yield* store.list({ limit: maxSessions })).filter(({ updatedAt }) => updatedAt >= since)
    const places = new Map<string, Array<string>>()
    for (const { id, project } of sessions) {
      const { directory } = yield* recordedPlace(store, { project, session: id })
      places.set(directory, [...(places.get(directory) ?? []), id])
    }
    const each = <E, R>(
      directory: string,
      ids: ReadonlyArray<string>,
      judge: (call: PastCall) => Effect.Effect<Judged, E, R>
    ) =>
      Effect.forEach(
        ids,
        (id) =>
          Stream.runForEach(Stream.filter(OwnCalls.callsOf(id, directory), wanted), (call) =>
            Effect.flatMap(judge(call), (judged) => emit(call, judged))
          ),
        { discard: true }
      )
    for (const [directory, ids] of places) {
      const there = Effect.provideService(Surroundings, { ...surroundings, directory })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const built = yield* Effect.either(
            Effect.zipRight(locate(directory), Effect.zip(Layer.build(inPlace), toolsThere)).pipe(there)
          )
          if (Either.isLeft(built)) {
            const { message } = built.left
            return yield* each(directory, ids, () => Effect.succeed(unjudged(message)))
          }
          const [services, tools] = built.right
          yield* each(directory, ids, (call) =>
            ofOwn(call, tools).pipe(
              Effect.provide(services),
              there,
              Effect.catchTag("ProjectGone", ({ message }) => Effect.succeed(unjudged(message)))
            )
          )
        })
      )
    }
  }).pipe(Effect.provide(Layer.merge(Stores.sessions, Stores.decided)))

/** Judges the calls of transcripts. */
const foreignCalls = (
  files: Stream.Stream<readonly [file: string, agent: string | undefined]>,
  trouble: Trouble,
  wanted: (call: PastCall) => boolean,
  emit: Emit
) => {
  const known = new Set<string>()
  const isNew = ({ agent, id }: PastCall): boolean => {
    const key = `${agent} ${id}`
    if (known.has(key)) return false
    const [oldest] = known.size >= maxKnown ? known : []
    if (oldest !== undefined) known.delete(oldest)
    known.add(key)
    return true
  }
  return files.pipe(
    Stream.flatMap(([file, agent]) => TranscriptFiles.callsOf(file, agent, trouble)),
    Stream.filter((call) => wanted(call) && isNew(call)),
    Stream.runForEach((call) => Effect.flatMap(ofAgent(call), (judged) => emit(call, judged)))
  )
}

const isDirectory = (file: string): boolean => fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Refuses a file that was named and cannot be read, before anything is judged. */
const readable = (file: string): Effect.Effect<void, UsageError, Surroundings> =>
  Effect.flatMap(Surroundings, ({ directory }) =>
    Effect.try({
      try: () => fs.accessSync(path.resolve(directory, file), fs.constants.R_OK),
      catch: (error) =>
        new UsageError({ reason: `${makeVisible(file)}: ${errnoText(errnoOf(error))}. Nothing was judged.` })
    })
  )

const all = ({ agent, files, json, since: given }: ReplayOptions) =>
  Effect.gen(function* () {
    const { answer, style, width } = yield* Screen
    const { home } = yield* Configuration
    const { directory, env } = yield* Surroundings
    const redactor = yield* Redactor
    const since = Option.isSome(given) ? yield* parseSince(given.value) : 0
    const of = Option.getOrUndefined(agent)
    const wanted = ({ time }: PastCall): boolean => time === undefined || time >= since
    const trouble = new Trouble()
    const tally = new Tally()
    const pace = Pace.make()
    let isFirst = true
    const emit: Emit = ({ input, ...call }, { reason, ...judged }) =>
      Effect.gen(function* () {
        yield* pace
        const row: Row = {
          ...call,
          tool: redactor.text(call.tool),
          parameters: shownArguments(redactor, parametersOf(input) ?? input).value,
          ...judged,
          reason: redactor.text(reason),
          changes: changes(call.was, judged.now)
        }
        tally.add(row)
        if (!json) return
        yield* answer(`${isFirst ? "" : ","}\n${visibleJson(JSON.stringify(row))}`)
        isFirst = false
      })
    if (json) yield* answer('{"calls":[')
    if (files.length === 0 && (of ?? "tollgate") === "tollgate" && fs.existsSync(home.database)) {
      yield* ownCalls(wanted, since, emit)
    }
    if (of !== "tollgate") {
      const chosen: Stream.Stream<readonly [string, string | undefined]> =
        files.length > 0
          ? Stream.flatMap(Stream.fromIterable(files), (file) => {
              const at = path.resolve(directory, file)
              const found = isDirectory(at) ? TranscriptFiles.below(at, since, trouble) : Stream.make(at)
              return Stream.map(found, (one) => [one, of] as const)
            })
          : Stream.fromIterable(TranscriptFiles.usualPlaces(home.user, env)).pipe(
              Stream.filter(([name]) => of === undefined || of === name),
              Stream.flatMap(([name, at]) =>
                Stream.map(TranscriptFiles.below(at, since, trouble), (file) => [file, name] as const)
              )
            )
      yield* foreignCalls(chosen, trouble, wanted, emit)
    }
    if (!json) return yield* answer(rendered(tally, trouble, { style, width: width() - 1 }))
    const groups = tally.groups.map(({ changes, count, now, was }) => ({ was, now, count, changes }))
    const unread = { count: trouble.count, first: trouble.first }
    yield* answer(`\n],"groups":${JSON.stringify(groups)},"unread":${visibleJson(JSON.stringify(unread))}}\n`)
  })

/**
 * Judges calls of before by the rules as they are, and shows which would go another way; runs and changes nothing.
 */
export const replay = (options: ReplayOptions) =>
  Effect.gen(function* () {
    const configuration = yield* Configuration
    const { settings } = configuration
    const { agent, files } = options
    if (files.length > 0 && Option.contains(agent, "tollgate")) {
      return yield* new UsageError({
        reason: "FILEs are transcripts of claude or codex; our own calls are in the log."
      })
    }
    yield* Effect.forEach(files, readable, { discard: true })
    const more = Option.isSome(options.rules) ? yield* rulesIn(options.rules.value) : []
    const approvals = { ...settings.approvals, rules: [...(settings.approvals?.rules ?? []), ...more] }
    yield* Effect.provideService(all(options), Configuration, {
      ...configuration,
      settings: { ...settings, approvals }
    }).pipe(Effect.provide(redaction.layerHere))
  }).pipe(Effect.provide(Screen.layer({ split: false })), Effect.provide(Configuration.layer()))
