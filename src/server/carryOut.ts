import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Host } from "../host/Host.ts"
import { recordedPlace } from "../runtime/recordedPlace.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { Ids } from "../tool/Ids.ts"
import type { Traits } from "../tool/Traits.ts"
import { Caller } from "./Access.ts"
import { Forbidden, NotFound } from "./ApiError.ts"
import { EnvelopeJson } from "./ApiSchema.ts"
import { fitting } from "./fitting.ts"
import { perform } from "./Perform.ts"
import { commandOf, type PostedCommand, scopeOf } from "./PostedCommand.ts"
import { ofSession, stored } from "./stored.ts"

/** The answer of the runtime to a command. */
export const Answered = Schema.Struct({
  session: Schema.String,
  /** The number of the event that answers it; watch the session from there on. */
  seq: Schema.Number,
  /** The task that it started. */
  task: Schema.optionalWith(Schema.String, { exact: true }),
  answer: EnvelopeJson
})

/** Whether a person may run a tool. */
export const isForPeople = ({ location, mode }: Pick<Traits, "location" | "mode">): boolean =>
  mode !== "llm" && location === "server"

/** Fails where a session has no such tool that a person may run. */
const hasTool = (session: string, name: string) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const host = yield* Host
    const { project } = yield* ofSession(store.get(session))
    const { tools } = yield* stored(
      Effect.flatMap(recordedPlace(store, { project, session }), (place) => host.project(place))
    )
    const tool = tools.tools.get(name)
    if (tool === undefined || !isForPeople(tool))
      return yield* new NotFound({
        message: `There is no tool ${JSON.stringify(name.slice(0, 100))} that a person may run. GET /v1/tools lists them.`,
        error: "ToolNotFound"
      })
  }).pipe(Effect.scoped)

/** Carries out what a client asks of a session, if its token reaches so far. */
export const carryOut = (session: string, posted: PostedCommand) =>
  Effect.gen(function* () {
    const { name: by, scopes } = yield* Caller
    const scope = scopeOf(posted)
    if (!scopes.includes(scope)) {
      return yield* new Forbidden({ message: `${posted._tag} needs a token with the scope ${scope}.` })
    }
    if (posted._tag === "DecideApproval") yield* fitting(posted)
    if (posted._tag === "InvokeTool") yield* hasTool(session, posted.tool)
    const made = yield* (yield* Ids).next("task")
    const answer = yield* perform(commandOf(posted, { session, by, made }))
    const task = answer.task === undefined ? {} : { task: answer.task }
    return { session: answer.session, seq: answer.seq, ...task, answer }
  })
