import { Console, Effect, Stream } from "effect"
import { Command, Runtime } from "tollgate"

export const program = Effect.gen(function* () {
  const runtime = yield* Runtime
  const session = yield* runtime.session({ id: "s1", create: { project: "/somewhere" }, by: "ada" })
  const { text } = yield* session.prompt("hello") // a task that does not complete is the error TaskUnfinished
  const task = yield* session.submit("deploy")
  yield* Stream.runForEach(task.events, ({ event, seq }) =>
    event._tag === "ApprovalRequested"
      ? session.deny(event.request, { reason: "not on a Friday" })
      : Console.log(seq, event._tag)
  )
  yield* runtime.request(new Command.ClearSession({ session: session.id })) // the event that it led to, or RequestRejected
  return text
}).pipe(Effect.scoped)
