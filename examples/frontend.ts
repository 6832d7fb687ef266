import { Effect, Stream } from "effect"
import { type ApprovalRequest, type Event, Runtime, type Submitted } from "tollgate"

/** What the frontend says of an event; nothing of most. */
const said = (event: Event.Event): string | undefined => {
  switch (event._tag) {
    case "ApprovalRequested":
      return `${event.request.tool} wants ${JSON.stringify(event.request.arguments)}: y or n?`
    case "TaskCompleted":
      return event.text
    case "TaskFailed":
      return `failed: ${event.message}`
    case "TaskInterrupted":
      return "cancelled"
    case "ModelSwitched":
      return `the next task uses ${event.profile}`
    default:
      return undefined
  }
}

/**
 * A frontend of plain lines: a line is a prompt, `y` and `n` answer the oldest open request, `/cancel` ends the task and
 * `/model NAME` switches the model. It ends with the lines.
 */
export const frontend = (lines: Stream.Stream<string>, print: (text: string) => Effect.Effect<void>, project: string) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const session = yield* runtime.session({ create: { project }, by: "lines" })
    const open = new Map<string, ApprovalRequest>()
    let task: Submitted | undefined

    const show = session.events({ from: session.seq, transient: false }).pipe(
      Stream.runForEach(({ event }) => {
        if (event._tag === "ApprovalRequested") open.set(event.request.id, event.request)
        if (event._tag === "ApprovalResolved") open.delete(event.approvalId)
        const text = said(event)
        return text === undefined ? Effect.void : print(text)
      })
    )
    yield* Effect.forkScoped(show)

    const perform = (line: string) =>
      Effect.gen(function* () {
        const [request] = open.values()
        const [word, name] = line.split(" ")
        if (request !== undefined && line === "y") return yield* session.approve(request)
        if (request !== undefined && line === "n") return yield* session.deny(request, { reason: "not now" })
        if (word === "/cancel") return yield* task?.cancel ?? print("nothing runs")
        if (word === "/model" && name !== undefined) return yield* Effect.asVoid(session.switchModel(name))
        task = yield* session.submit(line)
      })
    yield* Stream.runForEach(lines, (line) =>
      Effect.catchAll(perform(line), (error) => print(`error: ${error.message}`))
    )
    if (task !== undefined) yield* task.await
  }).pipe(Effect.scoped)
