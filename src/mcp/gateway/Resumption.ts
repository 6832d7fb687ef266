import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { CancelTask } from "../../runtime/Command.ts"
import { type Event, isTerminal } from "../../runtime/Event.ts"
import type { Runtime } from "../../runtime/Runtime.ts"
import type { SessionHandle } from "../../runtime/SessionHandle.ts"
import type { SessionStore } from "../../runtime/SessionStore.ts"
import { trusted } from "../../tool/ToolEvent.ts"
import type { CallResult } from "../ServerResult.ts"
import * as Earlier from "./Earlier.ts"
import type { Exchange } from "./Exchange.ts"
import type { Left, LeftCall } from "./Left.ts"
import * as Running from "./Running.ts"
import type * as Talk from "./Talk.ts"
import { type CallRefused, refused, type Wanted } from "./Wanted.ts"

export interface Means {
  readonly exchange: Exchange["Type"]
  readonly left: Left
  readonly runtime: Runtime["Type"]
  readonly store: SessionStore["Type"]
  readonly talkOf: (by: string) => Talk.Talk
  /** The beginning of the ids of sessions of gateways. */
  readonly beginning: string
  /** Where calls are made now. */
  readonly projectNow: () => string | undefined
  /** Whether this gateway has the call of a task already. */
  readonly isHere: (task: string) => boolean
  /** Follows a task to its end. */
  readonly started: (
    key: string,
    by: string,
    handle: SessionHandle,
    submitted: Running.Task,
    talk: Talk.Talk
  ) => Effect.Effect<Running.Running>
}

export interface Resumption {
  /** Takes up the equal call that was left, by a gateway that is gone or by this one which forgot it; nothing where there is none. */
  readonly resumed: (
    key: string,
    wanted: Wanted
  ) => Effect.Effect<Running.Running | undefined, CallRefused, Scope.Scope>
  /** What was left of a task is all that there is of it again. */
  readonly released: (task: string) => void
}

export const make = ({
  beginning,
  exchange,
  isHere,
  left,
  projectNow,
  runtime,
  started,
  store,
  talkOf
}: Means): Effect.Effect<Resumption> =>
  Effect.map(Earlier.make(store, beginning), (earlier): Resumption => {
    /** Takes up a call of a gateway that is gone: it waits for an answer, has got one since, or has ended. */
    const takenUp = (key: string, { by, listener }: Wanted, call: Earlier.EarlierCall) =>
      Effect.gen(function* () {
        const { session, task } = call
        const handle = yield* runtime.session({ id: session, resume: true, by })
        const talk = talkOf(by)
        talk.attach(listener)
        const goesOn = handle.goesOn === task || (yield* store.unfinished(session)).tasks.includes(task)
        if (!goesOn) {
          const result = yield* Earlier.resultOf(store, call)
          return result && Running.ended(task, { key, session, talk }, result)
        }
        exchange.open(task, talk)
        const events = Stream.takeUntil(
          Stream.filter(handle.events({ from: 1, transient: false }), (envelope) => envelope.task === task),
          ({ event }) => isTerminal(event)
        )
        const submitted = {
          id: task,
          follow: (hear: (event: Event) => void) =>
            Stream.runForEach(events, ({ event }) => Effect.sync(() => hear(event))),
          cancel: Effect.ignore(runtime.request(new CancelTask({ session, task, by }, trusted)))
        }
        return yield* started(key, by, handle, submitted, talk)
      })
    /** Tasks that were taken up, or are being: what was left of them and the log both tell of them, and each is taken up once. */
    const taken = new Set<string>()
    /** Takes up a call that its client was told to come back for; where that cannot be done, nothing is run in its place. */
    const promised = (key: string, wanted: Wanted) =>
      Effect.gen(function* () {
        const all = yield* left.find(key)
        const hasResult = ({ result }: LeftCall) => result !== undefined
        for (const { pid: _, ...call } of [...all.filter(hasResult), ...all.filter(Predicate.not(hasResult))]) {
          const { result, session, task } = call
          if (isHere(task) || taken.has(task)) continue
          taken.add(task)
          // From here on it is this gateway's.
          yield* left.keep(key, call)
          if (result !== undefined) {
            const talk = talkOf(wanted.by)
            return Running.ended(task, { key, session, talk }, result as CallResult)
          }
          const found = yield* takenUp(key, wanted, { session, task }).pipe(
            Effect.catchIf(
              (error) => error._tag === "RequestRejected" && error.error === "SessionNotFound",
              () => Effect.succeed(undefined)
            ),
            Effect.mapError(refused(wanted.tool)),
            Effect.onError(() => Effect.sync(() => taken.delete(task)))
          )
          if (found !== undefined) return found
          yield* left.forget(key, task)
        }
        return undefined
      })
    /** Takes up a call that a gateway was killed with. */
    const resumed = (key: string, wanted: Wanted) =>
      Effect.gen(function* () {
        const project = projectNow()
        const found = project === undefined ? undefined : yield* earlier({ ...wanted, project })
        if (found === undefined || taken.has(found.task) || isHere(found.task)) return undefined
        const running = yield* takenUp(key, wanted, found)
        // Its client may have been told to come back for it: it is this gateway's from here on.
        if (running !== undefined) yield* left.keep(key, found)
        return running
      }).pipe(Effect.orElseSucceed(() => undefined))

    return {
      resumed: (key, wanted) =>
        Effect.flatMap(promised(key, wanted), (found) =>
          found === undefined ? resumed(key, wanted) : Effect.succeed(found)
        ),
      released: (task) => void taken.delete(task)
    }
  })
