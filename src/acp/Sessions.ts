import type {
  ContentBlock,
  ListSessionsResponse,
  LoadSessionResponse,
  McpServer,
  NewSessionResponse,
  PromptResponse,
  SessionConfigOption,
  SessionInfo,
  SessionUpdate
} from "@agentclientprotocol/sdk"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type ApprovalPolicy, ApprovalPolicy as Policy } from "../approval/ApprovalPolicy.ts"
import { Approvals } from "../approval/Approvals.ts"
import { Audit } from "../audit/Audit.ts"
import { Configuration } from "../config/Configuration.ts"
import { total } from "../cost/totals.ts"
import { Ledger } from "../cost/Ledger.ts"
import { Host } from "../host/Host.ts"
import { serversOf } from "../host/ProjectConfig.ts"
import type { KnownServer } from "../mcp/KnownServer.ts"
import { directoryOf, stateOf } from "../mcp/StateFile.ts"
import { Models } from "../model/Models.ts"
import {
  CreateSession,
  DeclareClientTools,
  DeleteSession,
  ResumeSession,
  SetApprovalPolicy,
  SuspendSession,
  SwitchModel
} from "../runtime/Command.ts"
import type { Place } from "../runtime/Projects.ts"
import { recordedPlace } from "../runtime/recordedPlace.ts"
import { isRewound } from "../runtime/Rewound.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { visibleLine } from "../text/visible.ts"
import { Ids } from "../tool/Ids.ts"
import { trusted } from "../tool/ToolEvent.ts"
import type { Approval } from "../ui/Display.ts"
import { clientTools } from "./Asking.ts"
import { commandsFor } from "./Commands.ts"
import type { Editor } from "./Editor.ts"
import * as EditorServers from "./EditorServers.ts"
import { block } from "./fenced.ts"
import * as OpenSession from "./OpenSession.ts"
import { configOptionsOf, modeStateOf, modesFor, type Options } from "./Options.ts"
import { promptOf } from "./PromptContent.ts"
import { type EditorRequestRefused, invalid, notOpen, refusedBy } from "./Refused.ts"
import { distrusted, type Named, unused } from "./remarks.ts"
import { isoTime, Updates } from "./Updates.ts"

/** Sessions that one editor has open at a time, and that one answer lists. */
const maxOpen = 256
const page = 100
/** Sessions that are looked through for a list. */
const maxListed = 10_000

/** How long what is cancelled may take before its session is closed anyway. */
const patience = Duration.seconds(10)

/** What comes with a session that the editor opens. */
export interface Opening extends Named {
  readonly cwd: string
  readonly mcpServers?: ReadonlyArray<McpServer> | undefined
  /** Returns once the editor has the answer. */
  readonly answered: Effect.Effect<void>
}

interface Entry {
  readonly open: OpenSession.OpenSession
  readonly options: Effect.Effect<Options, EditorRequestRefused>
  readonly scope: Scope.CloseableScope
  /** Returns once the person has been asked about the servers that the editor names. */
  readonly settled: Effect.Effect<EditorServers.Settled>
  /** Ends everything that goes on in it, questions included. */
  readonly cancel: Effect.Effect<void>
}

/** The sessions of an editor, by what it may ask of them. */
export const make = (editor: Editor) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const store = yield* SessionStore
    const host = yield* Host
    const approvals = yield* Approvals
    const models = yield* Models
    const ledger = yield* Ledger
    const audit = yield* Audit
    const ids = yield* Ids
    const { home, profiles, settings } = yield* Configuration
    const scope = yield* Effect.scope
    const context = yield* Effect.context<Runtime | Approvals>()
    const danger = (yield* approvals.policy("")) === "allow"
    const entries = new Map<string, Entry>()
    /** Sessions are opened and closed one after the other. */
    const turns = yield* Effect.makeSemaphore(1)

    const found = (session: string): Effect.Effect<Entry, EditorRequestRefused> =>
      Effect.suspend(() => {
        const known = entries.get(session)
        return known === undefined ? notOpen(session) : Effect.succeed(known)
      })

    /** What a session can be set to, and is by now. */
    const optionsOf = (session: string, unconfined: Effect.Effect<string | undefined>) =>
      Effect.gen(function* () {
        const mode = yield* approvals.policy(session)
        const { profile } = yield* store.get(session)
        return {
          mode,
          modes: modesFor(mode, { danger, unconfined: yield* unconfined }),
          profile,
          models: [...new Set([...models.profiles, profile])].map((name) => ({
            profile: name,
            model: profiles[name]?.model
          }))
        } satisfies Options
      }).pipe(Effect.mapError(refusedBy(session)))

    /** The mode that was chosen last in a session, in whatever run of it. */
    const chosenMode = (session: string): Effect.Effect<ApprovalPolicy | undefined> =>
      Effect.map(
        Effect.orElseSucceed(store.tagged(session, ["ApprovalPolicySet", "SessionForked"]), () => []),
        (all) => {
          // What was chosen in the session that it is a copy of does not hold in it.
          const own = all.slice(all.findLastIndex(({ event }) => event._tag === "SessionForked") + 1)
          const last = own.at(-1)?.event
          return last?._tag === "ApprovalPolicySet" ? Policy.literals.find((mode) => mode === last.policy) : undefined
        }
      )

    const setMode = (session: string, policy: ApprovalPolicy) =>
      Effect.mapError(runtime.request(new SetApprovalPolicy({ session, policy }, trusted)), refusedBy(session))

    /** What happened in a session before event `until`, told again; gives the request that is open at its end. */
    const replay = (session: string, updates: Updates, until: number) =>
      Effect.gen(function* () {
        const rewound = yield* store.rewound(session)
        let asked: Approval | undefined
        yield* runtime.subscribe(session, { from: 1, transient: false, follow: false }).pipe(
          Stream.takeWhile(({ seq }) => seq < until),
          Stream.filter(({ seq }) => !isRewound(rewound, seq)),
          Stream.mapConcat((envelope) => updates.tell(envelope)),
          Stream.runForEach((told) => {
            if (told._tag === "Ask") asked = told.approval
            if (told._tag === "Asked") asked = undefined
            return told._tag === "Update" ? editor.update(session, told.update) : Effect.void
          })
        )
        return asked
      }).pipe(Effect.mapError(refusedBy(session)))

    interface Begun {
      readonly session: string
      readonly place: Place
      /** The number of the event that has opened it. */
      readonly seq: number
      /** A stored one, all of which is told again where the editor has asked for that. */
      readonly stored?: "replayed" | "silent"
      /** Whether what waits in it is asked again by itself. */
      readonly resumed: boolean
    }

    const watched = (
      { place, resumed, seq, session, stored }: Begun,
      opening: Opening
    ): Effect.Effect<LoadSessionResponse, EditorRequestRefused> =>
      Effect.gen(function* () {
        const own = yield* Scope.make()
        const begin = Effect.gen(function* () {
          const { config, nameServers, rules } = yield* host.project(place)
          const named = EditorServers.namedBy(opening.mcpServers ?? [], serversOf(config, settings))
          const naming = yield* Effect.either(nameServers(named.servers))
          const slots = Either.getOrElse(naming, () => [])
          const problems = Either.isLeft(naming) ? [...named.problems, naming.left.message] : named.problems
          const commands = commandsFor(home.config, config)
          const options = optionsOf(session, rules?.unconfined ?? Effect.succeed(undefined))
          if (editor.can.forms) yield* runtime.request(new DeclareClientTools({ session, tools: clientTools }, trusted))
          const summary = yield* store.get(session)
          const until = yield* Clock.currentTimeMillis
          const before = stored === undefined ? [] : yield* ledger.totals("session", { session, until })
          const tasks = new Set<string>()
          const updates = new Updates({
            directory: place.directory,
            can: editor.can,
            spent: total(before).amount,
            isOwn: (task) => tasks.has(task),
            ...(stored === "silent" ? { title: summary.title } : {})
          })
          const left = stored === "replayed" ? yield* replay(session, updates, seq) : undefined
          updates.live = true
          const mode = stored === undefined ? undefined : yield* chosenMode(session)
          if (mode !== undefined && mode !== (yield* approvals.policy(session)))
            yield* Effect.ignoreLogged(setMode(session, mode))
          const open = yield* OpenSession.make({
            session,
            directory: place.directory,
            editor,
            updates,
            from: seq,
            own: tasks,
            commands,
            asked: resumed ? undefined : left,
            options: Effect.map(options, (now): SessionUpdate => ({
              sessionUpdate: "config_option_update",
              configOptions: configOptionsOf(now)
            }))
          }).pipe(Effect.provide(context))
          const stopping = Effect.unsafeMakeLatch(false)
          const asked = yield* Effect.makeSemaphore(1)
          const unwanted = new Set<string>()
          const settling = Effect.gen(function* () {
            const { approved, outcome } = yield* EditorServers.settle(slots, {
              session,
              editor,
              left: unwanted,
              state: (server: KnownServer) => stateOf(directoryOf(home.database), server, place.project),
              remark: (text) => remark(session, text)
            })
            if (approved) {
              const again = yield* Effect.either(nameServers(named.servers))
              if (Either.isLeft(again)) yield* remark(session, again.left.message)
            }
            return outcome
          }).pipe(Effect.provideService(Audit, audit), asked.withPermits(1))
          const entry: Entry = {
            open,
            options,
            scope: own,
            settled:
              slots.length === 0
                ? Effect.succeed("settled")
                : Effect.raceFirst(settling, Effect.as(stopping.await, "cancelled" as const)),
            cancel: Effect.zipRight(stopping.release, open.cancel)
          }
          entries.set(session, entry)
          const watching = Effect.gen(function* () {
            yield* opening.answered
            yield* editor.update(session, {
              sessionUpdate: "available_commands_update",
              availableCommands: commands.available
            })
            const remarks = [...problems, ...unused(opening), ...distrusted(config)]
            yield* Effect.forEach(remarks, (text) => remark(session, text), { discard: true })
            yield* open.watch
          }).pipe(
            Effect.scoped,
            Effect.ensuring(
              Effect.sync(() => {
                if (entries.get(session) === entry) entries.delete(session)
              })
            )
          )
          yield* Effect.forkScoped(watching)
          const now = yield* options
          return { modes: modeStateOf(now), configOptions: configOptionsOf(now) }
        })
        return yield* begin.pipe(
          Effect.mapError(refusedBy(session)),
          Scope.extend(own),
          Effect.tapErrorCause(() => Scope.close(own, Exit.void))
        )
      })

    /** Something that the person must know of. */
    const remark = (session: string, text: string) =>
      editor.update(
        session,
        editor.can.notices
          ? { sessionUpdate: "notice", severity: "warning", title: text }
          : { sessionUpdate: "agent_thought_chunk", content: block(`${text}\n`) }
      )

    /** Takes a session that is open nowhere else. */
    const resumed = (session: string, opening: Opening, stored: "replayed" | "silent") =>
      Effect.gen(function* () {
        const summary = yield* store.get(session)
        const place = yield* recordedPlace(store, { project: summary.project, session })
        const { directory } = yield* host.locate(opening.cwd)
        if (directory !== place.directory) {
          return yield* invalid(
            `Session ${session} works in ${place.directory}, and the editor names ${directory}. Open it from its own directory.`
          )
        }
        const known = entries.get(session)
        if (known !== undefined) {
          if (stored === "replayed") {
            const updates = new Updates({ directory, can: editor.can })
            yield* replay(session, updates, Infinity)
          }
          const now = yield* known.options
          return { modes: modeStateOf(now), configOptions: configOptionsOf(now) }
        }
        if (entries.size >= maxOpen) return yield* tooMany
        const answer = yield* runtime.request(new ResumeSession({ session }, trusted))
        const isResumed = answer.event._tag === "SessionResumed"
        return yield* watched({ session, place, seq: answer.seq, stored, resumed: isResumed }, opening)
      }).pipe(Effect.mapError(refusedBy(session)), turns.withPermits(1))

    const tooMany = invalid(`An editor has ${maxOpen} sessions open at most. Close one first.`)

    const closed = ({ cancel, open, scope: own }: Entry) =>
      Effect.gen(function* () {
        const { session } = open
        yield* cancel
        yield* Effect.timeoutOption(open.quiet, patience)
        yield* Effect.ignoreLogged(runtime.request(new SuspendSession({ session }, trusted)))
        entries.delete(session)
        yield* Scope.close(own, Exit.void)
      })
    yield* Scope.addFinalizer(
      scope,
      Effect.suspend(() =>
        Effect.forEach([...entries.values()], (entry) => Scope.close(entry.scope, Exit.void), { discard: true })
      )
    )

    return {
      create: (opening: Opening): Effect.Effect<NewSessionResponse, EditorRequestRefused> =>
        Effect.gen(function* () {
          if (entries.size >= maxOpen) return yield* tooMany
          const place = yield* host.locate(opening.cwd)
          const session = yield* ids.next("session")
          const { seq } = yield* runtime.request(new CreateSession({ session, project: place.directory }, trusted))
          return { sessionId: session, ...(yield* watched({ session, place, seq, resumed: false }, opening)) }
        }).pipe(Effect.mapError(refusedBy()), turns.withPermits(1)),

      load: (session: string, opening: Opening) => resumed(session, opening, "replayed"),
      resume: (session: string, opening: Opening) => resumed(session, opening, "silent"),

      list: (
        cwd: string | undefined,
        cursor: string | undefined
      ): Effect.Effect<ListSessionsResponse, EditorRequestRefused> =>
        Effect.gen(function* () {
          if (cursor !== undefined && !/^\d{1,5}$/.test(cursor)) return yield* invalid("Unknown cursor.")
          const from = Number(cursor ?? 0)
          const place = cwd === undefined ? undefined : yield* host.locate(cwd)
          const limit = Math.min(maxListed, from + page + 1)
          const filter = place === undefined ? {} : { project: place.project }
          const all = (yield* store.list({ ...filter, limit })).slice(from)
          const placed = yield* Effect.forEach(all.slice(0, page), ({ id, project, title, updatedAt }) =>
            Effect.map(recordedPlace(store, { project, session: id }), ({ directory }): SessionInfo => ({
              sessionId: id,
              cwd: directory,
              updatedAt: isoTime(updatedAt),
              ...(title === "" ? {} : { title: visibleLine(title) })
            }))
          )
          return {
            sessions: placed.filter((one) => place === undefined || one.cwd === place.directory),
            ...(all.length > page ? { nextCursor: String(from + page) } : {})
          }
        }).pipe(Effect.mapError(refusedBy())),

      close: (session: string) => Effect.flatMap(found(session), closed).pipe(turns.withPermits(1)),

      delete: (session: string): Effect.Effect<void, EditorRequestRefused> =>
        Effect.gen(function* () {
          const known = entries.get(session)
          if (known !== undefined) yield* closed(known)
          yield* Effect.mapError(runtime.request(new DeleteSession({ session }, trusted)), refusedBy(session))
        }).pipe(turns.withPermits(1)),

      prompt: (
        session: string,
        blocks: ReadonlyArray<ContentBlock>,
        cancelled: Effect.Effect<void>
      ): Effect.Effect<PromptResponse, EditorRequestRefused> =>
        Effect.gen(function* () {
          const { open, settled } = yield* found(session)
          const prompt = yield* promptOf(blocks, open.directory)
          const outcome = yield* Effect.raceFirst(settled, Effect.as(cancelled, "cancelled" as const))
          if (outcome === "cancelled") return { stopReason: "cancelled" }
          return yield* open.prompt(prompt, cancelled)
        }),

      cancel: (session: string): Effect.Effect<void> =>
        Effect.suspend(() => entries.get(session)?.cancel ?? Effect.void),

      setMode: (session: string, mode: string): Effect.Effect<void, EditorRequestRefused> =>
        Effect.gen(function* () {
          const { options } = yield* found(session)
          const { modes } = yield* options
          const policy = modes.find((one) => one === mode)
          if (policy === undefined)
            return yield* invalid(`There is no mode ${JSON.stringify(mode)}: ${modes.join(", ")}.`)
          yield* setMode(session, policy)
        }),

      setOption: (
        session: string,
        option: string,
        value: unknown
      ): Effect.Effect<Array<SessionConfigOption>, EditorRequestRefused> =>
        Effect.gen(function* () {
          const { options } = yield* found(session)
          const { models, modes } = yield* options
          if (option === "mode") {
            const policy = modes.find((one) => one === value)
            if (policy === undefined)
              return yield* invalid(`There is no mode ${JSON.stringify(value)}: ${modes.join(", ")}.`)
            yield* setMode(session, policy)
          } else if (option === "model") {
            const model = models.find(({ profile }) => profile === value)
            if (model === undefined) {
              const known = models.map(({ profile }) => profile).join(", ")
              return yield* invalid(`There is no model ${JSON.stringify(value)}: ${known}.`)
            }
            yield* Effect.mapError(
              runtime.request(new SwitchModel({ session, profile: model.profile }, trusted)),
              refusedBy(session)
            )
          } else return yield* invalid(`There is no option ${JSON.stringify(option)}: mode, model.`)
          return configOptionsOf(yield* options)
        })
    }
  })

export type Sessions = Effect.Effect.Success<ReturnType<typeof make>>
