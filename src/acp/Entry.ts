import type { LoadSessionResponse, McpServer, SessionUpdate } from "@agentclientprotocol/sdk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Approvals } from "../approval/Approvals.ts"
import { Audit } from "../audit/Audit.ts"
import { Configuration } from "../config/Configuration.ts"
import { Ledger } from "../cost/Ledger.ts"
import { total } from "../cost/totals.ts"
import { Host } from "../host/Host.ts"
import { serversOf } from "../host/ProjectConfig.ts"
import type { KnownServer } from "../mcp/KnownServer.ts"
import { stateOf } from "../mcp/StateFile.ts"
import { stateDirectory } from "../mcp/stateDirectory.ts"
import { DeclareClientTools } from "../runtime/Command.ts"
import type { Place } from "../runtime/Projects.ts"
import { isRewound } from "../runtime/Rewound.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { trusted } from "../tool/ToolEvent.ts"
import type { Approval } from "../ui/Display.ts"
import { clientTools } from "./Asking.ts"
import { commandsFor } from "./Commands.ts"
import type { Editor } from "./Editor.ts"
import * as EditorServers from "./EditorServers.ts"
import { block } from "./fenced.ts"
import { filesOf } from "./filesOf.ts"
import * as OpenSession from "./OpenSession.ts"
import { configOptionsOf, modeStateOf } from "./Options.ts"
import { type EditorRequestRefused, refusedBy } from "./Refused.ts"
import { distrusted, type Named, unused } from "./remarks.ts"
import type { Settable, Settings } from "./Settings.ts"
import { terminalOf } from "./terminalOf.ts"
import { Terminals } from "./Terminals.ts"
import { Updates } from "./Updates.ts"

/** What comes with a session that the editor opens. */
export interface Opening extends Named {
  readonly cwd: string
  readonly mcpServers?: ReadonlyArray<McpServer> | undefined
  /** Returns once the editor has the answer. */
  readonly answered: Effect.Effect<void>
}

/** A session that the editor has open, with all that ends with it. */
export interface Entry {
  readonly open: OpenSession.OpenSession
  readonly options: Settable
  readonly scope: Scope.CloseableScope
  /** Returns once the person has been asked about the servers that the editor names. */
  readonly settled: Effect.Effect<EditorServers.Settled>
  /** Ends everything that goes on in it, questions included. */
  readonly cancel: Effect.Effect<void>
}

/** The entries that there are, which one joins and leaves. */
export interface Entries {
  readonly add: (entry: Entry) => void
  readonly remove: (entry: Entry) => void
}

/** What a session begins with. */
export interface Beginning<E> {
  readonly session: string
  readonly place: Place
  /** Opens it in the runtime, once its tools have what the editor gives them. */
  readonly begin: Effect.Effect<Begun, E>
  /** A stored one, all of which is told again where the editor has asked for that. */
  readonly stored?: "replayed" | "silent"
}

export interface Begun {
  /** The number of the event that has opened it. */
  readonly seq: number
  /** Whether what waits in it is asked again by itself. */
  readonly resumed: boolean
}

interface Failure {
  readonly _tag: string
  readonly message: string
}

/** How a session becomes one that the editor has open. */
export const make = (editor: Editor, settings: Settings, entries: Entries) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const store = yield* SessionStore
    const host = yield* Host
    const ledger = yield* Ledger
    const audit = yield* Audit
    const configuration = yield* Configuration
    const context = yield* Effect.context<Runtime | Approvals>()
    const scope = yield* Effect.scope

    /** Something that the person must know of. */
    const remark = (session: string, text: string) =>
      editor.update(
        session,
        editor.can.notices
          ? { sessionUpdate: "notice", severity: "warning", title: text }
          : { sessionUpdate: "agent_thought_chunk", content: block(`${text}\n`) }
      )

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

    const opened = <E extends Failure>(
      { begin, place, session, stored }: Beginning<E>,
      opening: Opening,
      own: Scope.CloseableScope
    ) =>
      Effect.gen(function* () {
        const { home, settings: configured } = configuration
        const { config, equip, nameServers, rules } = yield* host.project(place)
        const terminals = new Terminals()
        yield* equip(session, {
          files: filesOf(editor, session, place.directory),
          terminal: terminalOf(editor, session, terminals)
        })
        const { resumed, seq } = yield* begin
        const named = EditorServers.namedBy(opening.mcpServers ?? [], serversOf(config, configured))
        const naming = yield* Effect.either(nameServers(named.servers))
        const slots = Either.getOrElse(naming, () => [])
        const problems = Either.isLeft(naming) ? [...named.problems, naming.left.message] : named.problems
        const commands = commandsFor(home.config, config)
        const options = settings.of(session, rules?.unconfined ?? Effect.succeed(undefined))
        if (editor.can.forms) yield* runtime.request(new DeclareClientTools({ session, tools: clientTools }, trusted))
        const summary = yield* store.get(session)
        const until = yield* Clock.currentTimeMillis
        const before = stored === undefined ? [] : yield* ledger.totals("session", { session, until })
        const tasks = new Set<string>()
        const updates = new Updates({
          directory: place.directory,
          can: editor.can,
          terminals,
          spent: total(before).amount,
          isOwn: (task) => tasks.has(task),
          ...(stored === "silent" ? { title: summary.title } : {})
        })
        const left = stored === "replayed" ? yield* replay(session, updates, seq) : undefined
        updates.live = true
        if (stored !== undefined) yield* settings.restore(session)
        const open = yield* OpenSession.make({
          session,
          directory: place.directory,
          editor,
          updates,
          terminals,
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
            state: (server: KnownServer) => stateOf(stateDirectory(home.database), server, place.project),
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
        entries.add(entry)
        const watching = Effect.gen(function* () {
          yield* opening.answered
          yield* editor.update(session, {
            sessionUpdate: "available_commands_update",
            availableCommands: commands.available
          })
          const remarks = [...problems, ...unused(opening), ...distrusted(config)]
          yield* Effect.forEach(remarks, (text) => remark(session, text), { discard: true })
          yield* open.watch
        }).pipe(Effect.scoped, Effect.ensuring(Effect.sync(() => entries.remove(entry))))
        const watched = yield* Effect.forkScoped(watching)
        // What it holds is let go of also where it has ended elsewhere.
        yield* Effect.forkIn(Effect.zipRight(Fiber.await(watched), Scope.close(own, Exit.void)), scope)
        const now = yield* options
        return { modes: modeStateOf(now), configOptions: configOptionsOf(now) }
      })

    return {
      replay,
      /** Opens a session and tells the editor what happens in it from then on. */
      open: <E extends Failure>(
        beginning: Beginning<E>,
        opening: Opening
      ): Effect.Effect<LoadSessionResponse, EditorRequestRefused> =>
        Effect.flatMap(Scope.fork(scope, ExecutionStrategy.sequential), (own) =>
          opened(beginning, opening, own).pipe(
            Effect.mapError(refusedBy(beginning.session)),
            Scope.extend(own),
            Effect.tapErrorCause(() => Scope.close(own, Exit.void))
          )
        )
    }
  })
