import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Connection from "./Connection.ts"
import type { KnownServer } from "./KnownServer.ts"
import { identityOf } from "./KnownServer.ts"
import type { Manifest } from "./Manifest.ts"
import { type ServerFailed, ServerUnavailable } from "./McpError.ts"
import { type Pins, type Standing, standings } from "./Pins.ts"
import { isUnchanged } from "./ProgramState.ts"
import { resourceList, type Resources } from "./resourceList.ts"
import type { ServerState, StateUnusable } from "./StateFile.ts"
import type { ListKind, Surroundings } from "./Surroundings.ts"

/** A server that is running. */
export interface Running {
  readonly connection: Connection.Connection
  /** What it offers by its last list. */
  readonly manifest: Manifest
}

/** One configured server, which is started when it is first used and again after it has ended. */
export interface ServerSlot {
  readonly known: KnownServer
  /** What it offered when it was last asked; nothing is started. */
  readonly manifest: Effect.Effect<Manifest | undefined, StateUnusable>
  /** How that stands to what was approved. */
  readonly standings: Effect.Effect<ReadonlyArray<Standing>, StateUnusable>
  /** The server as it runs, with lists that nothing has outdated; it starts only as the program that was approved. */
  readonly acquire: Effect.Effect<Running, ServerUnavailable | StateUnusable>
  /** The resources that it lists; it is not started for those that it listed when it was last asked. */
  readonly resources: Effect.Effect<Resources, ServerUnavailable | ServerFailed | StateUnusable>
  /** Asks it anew what it offers. */
  readonly refresh: Effect.Effect<Manifest, ServerUnavailable | StateUnusable>
  /**
   * Asks something of the running server. With an answer, what failed before counts no more; where the asker gave up before
   * one came, or the server seems to know the connection no more, it is asked for its lists before the next request, and
   * starts anew if it does not give them.
   */
  readonly during: <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** What happens to a slot. */
export interface SlotOptions {
  readonly known: KnownServer
  readonly state: ServerState
  readonly surroundings: Omit<Surroundings, "changed" | "doubted" | "login" | "updated">
  /** The lists of the running server have come in, of which it had said that those are changed. */
  readonly listed: (standings: ReadonlyArray<Standing>, changed: ReadonlySet<ListKind>) => Effect.Effect<void>
  /** A resource that is watched has changed. */
  readonly updated?: (uri: string) => void
}

/** Milliseconds until a server that keeps failing is started again. */
const backoff = (failures: number): number => (failures < 2 ? 0 : Math.min(60_000, 500 * 2 ** failures))

/** How long further news of changed lists are waited for. */
const settling = "250 millis"

/** The standings of the same two values, which are compared once. */
const comparing = () => {
  let last:
    | {
        readonly pins: Pins | undefined
        readonly manifest: Manifest | undefined
        readonly all: ReadonlyArray<Standing>
      }
    | undefined
  return (pins: Pins | undefined, manifest: Manifest | undefined): ReadonlyArray<Standing> => {
    if (last === undefined || last.pins !== pins || last.manifest !== manifest)
      last = { pins, manifest, all: standings(pins, manifest) }
    return last.all
  }
}

/** Makes the slot of a server, which ends with the scope. */
export const make = ({
  known,
  listed,
  state,
  surroundings,
  updated = () => {}
}: SlotOptions): Effect.Effect<ServerSlot, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const one = yield* Effect.makeSemaphore(1)
    const identity = identityOf(known)
    const compare = comparing()
    let running: (Running & { readonly own: Scope.CloseableScope }) | undefined
    let stale = false
    let outdated = new Set<ListKind>()
    let doubted = false
    let open = 0
    let failures = 0
    let notBefore = 0

    const stored = Effect.map(state.manifest.read, (found) => (found?.identity === identity ? found : undefined))
    const manifest = Effect.suspend(() => (running === undefined ? stored : Effect.succeed(running.manifest)))

    const isSame = (a: Manifest | undefined, b: Manifest): boolean =>
      a !== undefined && JSON.stringify({ ...a, listedAt: 0 }) === JSON.stringify({ ...b, listedAt: 0 })
    const keep = (found: Manifest) =>
      Effect.gen(function* () {
        const before = yield* Effect.option(stored)
        const last = Option.getOrUndefined(before)
        if (!isSame(last, found)) yield* state.manifest.write(found)
        const changed = outdated
        outdated = new Set()
        if (JSON.stringify(last?.resourceList) !== JSON.stringify(found.resourceList)) changed.add("resources")
        // A file that cannot be read approves nothing.
        const pins = yield* Effect.orElseSucceed(state.pins.read, () => undefined)
        yield* listed(compare(pins, found), changed)
      })
    const failed = Effect.map(Clock.currentTimeMillis, (now) => {
      failures++
      notBefore = now + backoff(failures)
    })

    const unchanged = Effect.flatMap(state.pins.read, (pins) => {
      if (pins === undefined || isUnchanged(pins, state.project, known)) return Effect.void
      const mend =
        known.origin === "editor" ? "the next prompt asks about it" : `run tollgate mcp trust ${known.name} there`
      const reason = `what it runs in ${state.project} is not what you approved; ${mend}`
      return new ServerUnavailable({ server: known.name, operation: "start", reason })
    })
    const start = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now < notBefore) {
        const reason = `it has failed ${failures} times in a row; the next try is in ${Math.ceil((notBefore - now) / 1000)} s`
        return yield* new ServerUnavailable({ server: known.name, operation: "start", reason })
      }
      const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
      const news = yield* Queue.sliding<void>(1)
      stale = false
      doubted = false
      const opened = Effect.gen(function* () {
        const connection = yield* Connection.open(known, {
          ...surroundings,
          login: state.login,
          updated,
          doubted: () => {
            doubted = true
          },
          changed: (kind) => {
            stale = true
            outdated.add(kind)
            news.unsafeOffer(undefined)
          }
        })
        const found = yield* connection.list
        yield* keep(found)
        return (running = { connection, manifest: found, own })
      }).pipe(
        Scope.extend(own),
        Effect.onExit((exit) =>
          Exit.isSuccess(exit)
            ? Effect.void
            : Effect.zipRight(Exit.isInterrupted(exit) ? Effect.void : failed, Scope.close(own, Exit.void))
        )
      )
      const made = yield* opened
      const follow = Effect.forever(
        Effect.zipRight(
          Queue.take(news),
          Effect.zipRight(Effect.sleep(settling), Effect.zipRight(Queue.takeAll(news), Effect.ignore(relisted)))
        )
      )
      yield* Scope.extend(Effect.forkScoped(follow), own)
      return made
    })

    const startAgain = Effect.zipRight(unchanged, start)

    /** The running server with a list as new as its last word; as long as there is none, also for an asker that gave up, it is asked again. */
    const renewed = (now: Running & { readonly own: Scope.CloseableScope }) =>
      Effect.gen(function* () {
        stale = false
        const found = yield* now.connection.list
        doubted = false
        yield* keep(found)
        running = { ...now, manifest: found }
        return running
      }).pipe(Effect.onError(() => Effect.sync(() => (stale = true))))
    const ended = ({ own }: { readonly own: Scope.CloseableScope }) =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          running = undefined
          return Effect.zipRight(Scope.close(own, Exit.void), failed)
        })
      )
    const current = Effect.gen(function* () {
      if (running !== undefined && running.connection.gone() !== undefined) yield* ended(running)
      return running
    })
    /** What other requests wait for is not ended under them. */
    const proven = (now: Running & { readonly own: Scope.CloseableScope }) =>
      Effect.catchTag(renewed(now), "ServerUnavailable", (error) =>
        open > 0 ? error : Effect.zipRight(ended(now), startAgain)
      )
    const acquire = one.withPermits(1)(
      Effect.flatMap(current, (now) =>
        now === undefined ? startAgain : doubted ? proven(now) : stale ? renewed(now) : Effect.succeed(now)
      )
    )
    const relisted = one.withPermits(1)(
      Effect.flatMap(current, (now) => (now === undefined || !stale ? Effect.void : renewed(now)))
    )
    const refresh = one.withPermits(1)(Effect.flatMap(current, (now) => (now === undefined ? start : renewed(now))))
    const resources = Effect.gen(function* () {
      const now = yield* one.withPermits(1)(current)
      const last = now === undefined ? yield* stored : undefined
      if (last?.resources === false) return []
      if (last?.resourceList !== undefined) return last.resourceList as Resources
      const { connection, manifest } = yield* acquire
      return manifest.resources
        ? yield* connection.request("resources/list", (client, options) => resourceList(client, options))
        : []
    })
    return {
      known,
      manifest,
      standings: Effect.zipWith(state.pins.read, manifest, compare),
      acquire,
      resources,
      refresh: Effect.map(refresh, ({ manifest }) => manifest),
      during: (request) =>
        Effect.suspend(() => {
          open++
          return request
        }).pipe(
          Effect.tap(() =>
            Effect.sync(() => {
              failures = 0
              notBefore = 0
            })
          ),
          Effect.onInterrupt(() => Effect.sync(() => (doubted = true))),
          Effect.ensuring(Effect.sync(() => open--))
        )
    }
  })
