import { Console, Effect, Stream } from "effect"
import { cwd, env } from "node:process"
import { Host, Runtime } from "tollgate"

const program = Effect.gen(function* () {
  const runtime = yield* Runtime
  const session = yield* runtime.session({ create: { project: cwd() }, by: "ada" })
  const task = yield* session.submit("What is in here, and what would you tidy up?")
  yield* Stream.runForEach(task.events, ({ event, seq }) =>
    event._tag === "ApprovalRequested"
      ? session.deny(event.request, { reason: "look, and touch nothing" })
      : Console.log(seq, event._tag)
  )
}).pipe(Effect.scoped)

const live = Host.layer({ directory: cwd(), env, attended: true })

await Effect.runPromise(Effect.provide(program, live))
