import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Ids } from "../tool/Ids.ts"
import { Caller } from "./Access.ts"
import { Forbidden } from "./ApiError.ts"
import { EnvelopeJson } from "./ApiSchema.ts"
import { perform } from "./Perform.ts"
import { commandOf, type PostedCommand, scopeOf } from "./PostedCommand.ts"

/** The answer of the runtime to a command. */
export const Answered = Schema.Struct({
  session: Schema.String,
  /** The number of the event that answers it; watch the session from there on. */
  seq: Schema.Number,
  /** The task that it started. */
  task: Schema.optionalWith(Schema.String, { exact: true }),
  answer: EnvelopeJson
})

/** Carries out what a client asks of a session, if its token reaches so far. */
export const carryOut = (session: string, posted: PostedCommand) =>
  Effect.gen(function* () {
    const { name: by, scopes } = yield* Caller
    const scope = scopeOf(posted)
    if (!scopes.includes(scope)) {
      return yield* new Forbidden({ message: `${posted._tag} needs a token with the scope ${scope}.` })
    }
    const made = yield* (yield* Ids).next("task")
    const answer = yield* perform(commandOf(posted, { session, by, made }))
    const task = answer.task === undefined ? {} : { task: answer.task }
    return { session: answer.session, seq: answer.seq, ...task, answer }
  })
