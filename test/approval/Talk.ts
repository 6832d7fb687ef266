import { Effect, Either, Queue } from "effect"
import { CreateSession, DecideApproval, RevokeApproval, SubmitPrompt } from "../../src/runtime/Command.ts"
import { type Event, isTerminal } from "../../src/runtime/Event.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import * as World from "./World.ts"

/** A call as a test writes it. */
export interface Asked {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

export const shell = (id: string, command: string): Asked => ({ id, name: "run_shell", args: { command } })
export const edit = (id: string, from: string, to: string): Asked => ({
  id,
  name: "edit_file",
  args: { path: "a", old: from, new: to }
})

export const isEnd = (event: Event, callId: string): boolean =>
  (event._tag === "ToolCallCompleted" || event._tag === "ToolCallFailed" || event._tag === "ToolCallInterrupted") &&
  event.callId === callId

/** A frontend in miniature over a world: it sends commands and waits for events. */
export const talk = (world: World.World, session = "s1") => {
  let count = 0
  const send = (command: Parameters<World.Boot["runtime"]["send"]>[0]) =>
    Effect.suspend(() => Effect.orDie(world.boot.runtime.send(command)))
  const open = Effect.gen(function* () {
    yield* send(new CreateSession({ session, project: "test" }))
    while (Either.isLeft(yield* Effect.either(world.store.get(session)))) yield* Effect.yieldNow()
  })
  /** Everything sent before it has been handled when this returns. */
  const fence = Effect.suspend(() => {
    const commandId = `fence-${++count}`
    return Effect.zipRight(
      send(new RevokeApproval({ session, commandId, grantId: "none" })),
      world.awaitEvent(session, (event) => event._tag === "CommandRejected" && event.commandId === commandId)
    )
  })
  const turn = (...calls: ReadonlyArray<Asked>) =>
    Effect.suspend(() =>
      Queue.offer(world.boot.turns, {
        calls: calls.map(({ args, id, name }) => ({ id, name, arguments: JSON.stringify(args) }))
      })
    )
  const submit = (task: string, ...calls: ReadonlyArray<Asked>) =>
    Effect.zipRight(send(new SubmitPrompt({ session, task, prompt: "go" })), turn(...calls))
  const request = (callId: string, nth = 1): Effect.Effect<ApprovalRequest> => {
    let seen = 0
    return Effect.map(
      world.awaitEvent(
        session,
        (event) => event._tag === "ApprovalRequested" && event.request.callId === callId && ++seen === nth
      ),
      ({ event }) => {
        if (event._tag !== "ApprovalRequested") throw new Error("not a request")
        return event.request
      }
    )
  }
  const answer = (
    { digest, id }: ApprovalRequest,
    decision: "approve" | "deny",
    more: Partial<Pick<DecideApproval, "scope" | "reason" | "stop" | "digest">> = {}
  ) => send(new DecideApproval({ session, approvalId: id, digest, decision, ...more }))
  const end = (callId: string) =>
    Effect.map(
      world.awaitEvent(session, (event) => isEnd(event, callId)),
      ({ event }) => event
    )
  const taskEnd = (task: string) =>
    Effect.map(
      world.awaitEvent(session, (event, envelope) => envelope.task === task && isTerminal(event)),
      ({ event }) => event
    )
  const finish = Effect.suspend(() => Queue.offer(world.boot.turns, { say: "done" }))
  return { session, send, open, fence, turn, submit, request, answer, end, taskEnd, finish }
}

/** A world with one open session. */
export const opened = (options: World.WorldOptions = {}) =>
  Effect.gen(function* () {
    const world = yield* World.make(options)
    const one = talk(world)
    yield* one.open
    return { world, ...one }
  })
