import { Effect, Either, Fiber, Queue, TestClock } from "effect"
import { callTool } from "../../src/agent/callTool.ts"
import type { WorkerSink } from "../../src/agent/WorkerSink.ts"
import { digest } from "../../src/approval/Digest.ts"
import { CreateSession, DecideApproval, InvokeTool, RevokeApproval, SubmitPrompt } from "../../src/runtime/Command.ts"
import { type Event, isTerminal } from "../../src/runtime/Event.ts"
import { type ApprovalRequest, Scope } from "../../src/tool/ApprovalRequest.ts"
import { millisOf, namesOf, type Step } from "./Step.ts"
import { isEnd } from "./Talk.ts"
import type * as World from "./World.ts"

/** A call of a row; A1, A2 … go by the order of them. */
export interface Called {
  readonly id: string
  readonly name: string
  readonly arguments: string
  readonly session: string
  /** Which of those with the same id. */
  readonly nth: number
  /** What is presupposed is neither a prompt nor a run of the row. */
  readonly setup: boolean
  /** Where it is not a call of the session's task: a worker's, or one beside a task that waits. */
  fiber?: Fiber.RuntimeFiber<unknown>
  ended: boolean
  /** Of a runtime that is no more. */
  stale: boolean
  /** The last is what is shown. */
  requests: ReadonlyArray<ApprovalRequest>
}

interface Place {
  task: string | undefined
  readonly prompt: string
}

const mute: WorkerSink = {
  task: "task",
  emit: () => Effect.void,
  emitAll: () => Effect.void,
  compaction: () => mute,
  commit: () => Effect.void
}

/** Ways of saying that it is the person at the frontend. */
const operators = new Set(["operator", "user", "human", "owner", "cli", "web"])
const machines = /model|assistant|agent|worker|^W\d|tool|mcp|server|hook|script|command/i

/** A frontend over a world that knows calls and approvals by the names of the corpus. */
export const make = (world: World.World) => {
  const errors = new Map<string, ReadonlyArray<string>>()
  const calls: Array<Called> = []
  const places = new Map<string, Place>()
  const decided = new Map<string, number>()
  /** Milliseconds for which a request has been the one that is shown. */
  const shownFor = new Map<string, number>()
  const aliases = new Map<string, string>()
  let current = "s1"
  let count = 0
  let said: string | undefined

  const fresh = (prefix: string) => `${prefix}-${++count}`
  const send = (command: Parameters<World.Boot["runtime"]["send"]>[0]) => Effect.orDie(world.boot.runtime.send(command))
  const note = (label: string, tag: string) => {
    errors.set(label, [...(errors.get(label) ?? []), ...namesOf(tag)])
  }

  const open = (session: string) =>
    Effect.gen(function* () {
      if (places.has(session)) return
      places.set(session, { task: undefined, prompt: session === "s1" ? "go" : `go in ${session}` })
      yield* send(new CreateSession({ session, project: "test" }))
      while (Either.isLeft(yield* Effect.either(world.store.get(session)))) yield* Effect.yieldNow()
    })

  /** Everything sent before it has been handled when this returns. */
  const fence = (session = current) =>
    Effect.suspend(() => {
      const commandId = fresh("fence")
      return Effect.zipRight(
        send(new RevokeApproval({ session, commandId, grantId: "none" })),
        world.awaitEvent(session, (event) => event._tag === "CommandRejected" && event.commandId === commandId)
      )
    })

  const failed = (called: Called, tag: string) => {
    const manual = tag === "ToolNotFound" && world.tools.find(({ name }) => name === called.name)?.mode === "manual"
    const shown = manual ? "ManualOnlyTool" : tag
    note(called.id, shown)
    if (called.nth > 1) note(`${called.id}#${called.nth}`, shown)
  }

  const asked = (called: Called, request: ApprovalRequest) => {
    called.requests = [...called.requests, request]
  }

  const settleAside = (called: Called, fiber: Fiber.RuntimeFiber<unknown>) =>
    Effect.gen(function* () {
      for (;;) {
        const ended = yield* Fiber.poll(fiber)
        if (ended._tag === "Some") {
          called.ended = true
          return
        }
        const found = (yield* world.boot.approvals.state()).pending.find(
          ({ callId, id, sessionId }) =>
            callId === called.id &&
            sessionId === called.session &&
            calls.every(({ requests }) => requests.every((known) => known.id !== id))
        )
        if (found !== undefined) return asked(called, found)
        yield* Effect.yieldNow()
      }
    })

  /** Waits until a call has ended or is asked for, again where what it would touch has changed. */
  const settle = (called: Called): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (called.ended) return Effect.void
      if (called.fiber !== undefined) return settleAside(called, called.fiber)
      const known = new Set(calls.flatMap(({ requests }) => requests.map(({ id }) => id)))
      let ends = 0
      const fits = (event: Event) =>
        isEnd(event, called.id)
          ? ++ends === called.nth
          : event._tag === "ApprovalRequested" && event.request.callId === called.id && !known.has(event.request.id)
      return Effect.map(world.awaitEvent(called.session, fits), ({ event }) => {
        if (event._tag === "ApprovalRequested") return asked(called, event.request)
        called.ended = true
        if (event._tag === "ToolCallFailed") failed(called, event.error._tag)
        if (event._tag === "ToolCallInterrupted") failed(called, "Interrupted")
      })
    })

  /** A call that the task of the session does not make: of a worker, or while the answer before it still waits. */
  const aside = (called: Called, workerPath: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const place = { sessionId: called.session, workerPath, iteration: 1 }
      const call = {
        id: called.id,
        type: "function" as const,
        function: { name: called.name, arguments: called.arguments }
      }
      called.fiber = yield* Effect.fork(
        Effect.onExit(callTool(world.boot.tools, mute, place, call), (exit) =>
          Effect.sync(() => {
            if (exit._tag === "Failure") failed(called, "Interrupted")
            else if (exit.value.error !== undefined) failed(called, exit.value.error._tag)
          })
        )
      )
      yield* settle(called)
    })

  const isOver = (session: string, task: string) =>
    Effect.map(world.recorded(session), (envelopes) =>
      envelopes.some((envelope) => envelope.task === task && isTerminal(envelope.event))
    )

  /** Calls whose answer has come from elsewhere, e.g. from a grant for another. */
  const drain = Effect.gen(function* () {
    const pending = new Set((yield* world.boot.approvals.state()).pending.map(({ id }) => id))
    for (const made of calls) {
      if (made.requests.length === 0 || made.stale || made.requests.some(({ id }) => pending.has(id))) continue
      yield* settle(made)
    }
  })

  /**
   * Calls that wait together. Those of one answer are asked for one after the other, so only the first is the answer's; the
   * others are made beside it, as workers make them.
   */
  const ask = (batch: ReadonlyArray<Called>, session = current): Effect.Effect<void> =>
    Effect.forEach(batch, (called) => answerWith(called, session), { discard: true })

  /** An answer of the model with this call, in the task at hand or in a new one; a call beside it where that one waits. */
  const answerWith = (made: Called, session: string) =>
    Effect.gen(function* () {
      yield* open(session)
      const place = places.get(session)
      if (place === undefined) return
      yield* drain
      const waits = calls.some(
        (called) =>
          called.session === session && called.fiber === undefined && !called.ended && !called.stale && called !== made
      )
      if (place.task !== undefined && waits) return yield* aside(made, ["root"])
      if (place.task !== undefined && (yield* isOver(session, place.task))) place.task = undefined
      const { prompt } = place
      const turns = session === "s1" ? world.boot.turns : yield* world.boot.turnsOf(prompt)
      if (place.task === undefined) {
        place.task = fresh("task")
        yield* send(new SubmitPrompt({ session, task: place.task, prompt }))
      }
      const { arguments: args, id, name } = made
      yield* Queue.offer(turns, {
        calls: [{ id, name, arguments: args }],
        ...(said === undefined ? {} : { say: said })
      })
      said = undefined
      yield* settle(made)
      if (errors.get(id)?.includes("ApprovalUnavailable") === true) place.task = undefined
    })

  const called = (step: Step, setup = false): Called => {
    const id = step.id ?? fresh("call")
    const session = step.session ?? current
    const made: Called = {
      id,
      name: step.name ?? step.tool ?? "",
      arguments: step.raw ?? step.chunks?.join("") ?? JSON.stringify(step.args ?? {}),
      session,
      nth: 1 + calls.filter((other) => other.id === id && other.session === session).length,
      setup,
      ended: false,
      stale: false,
      requests: []
    }
    calls.push(made)
    return made
  }

  const byOperator = (step: Step) =>
    Effect.gen(function* () {
      const session = step.session ?? current
      yield* open(session)
      const task = fresh("manual")
      yield* send(new InvokeTool({ session, task, tool: step.name ?? "", parameters: step.args ?? {} }))
      const { event } = yield* world.awaitEvent(
        session,
        (event, envelope) => envelope.task === task && (isTerminal(event) || event._tag === "ToolCallRequested")
      )
      const label = step.id ?? "c1"
      if (event._tag !== "ToolCallRequested") return note(label, "LlmOnlyTool")
      aliases.set(event.callId, label)
      const made = called({ ...step, id: event.callId })
      yield* settle(made)
      for (const name of errors.get(event.callId) ?? []) note(label, name)
    })

  const requestFor = (label: string): ApprovalRequest | undefined => {
    const own = calls.filter(({ setup }) => !setup)
    const found = /^A\d+$/.test(label) ? own[Number(label.slice(1)) - 1] : own.find(({ id }) => id === label)
    return found?.requests.at(-1)
  }

  const digestOf = (step: Step, request: ApprovalRequest): string => {
    const echoed = step.args_hash ?? step.hash ?? step.digest
    if (echoed !== undefined) return echoed
    const tool = world.tools.find(({ name }) => name === request.tool)
    return step.edited_args === undefined || tool === undefined
      ? request.digest
      : digest(
          {
            name: tool.name,
            tool,
            rawParams: step.edited_args,
            workerPath: request.workerPath,
            sessionId: request.sessionId
          },
          { summary: undefined, diff: undefined, targets: request.preview?.targets ?? [], touches: null }
        )
  }

  const labelOf = (step: Step): string => {
    const label = step.approval ?? step.id ?? "A1"
    const times = (decided.get(label) ?? 0) + 1
    decided.set(label, times)
    return times === 1 ? label : `${label}#${times}`
  }

  /** A decision by anything but a person is a call of the tool that asks the person. */
  const decideByMachine = (step: Step) =>
    Effect.gen(function* () {
      const made = called(
        { step: "tool_call", id: fresh("forged"), name: "client.requestApproval", args: { ...step } },
        true
      )
      yield* aside(made, ["root"])
      for (const name of errors.get(made.id) ?? []) note(labelOf(step), name)
    })

  const decide = (step: Step, wait = true) =>
    Effect.gen(function* () {
      const by = step.by ?? "operator"
      if (!operators.has(by) && machines.test(by)) return yield* decideByMachine(step)
      const request = requestFor(step.approval ?? step.id ?? "A1")
      const label = labelOf(step)
      // The schema of the command knows no other, so nothing of it arrives.
      if (step.scope !== undefined && !Scope.literals.some((scope) => scope === step.scope)) {
        return note(label, "ApprovalMismatch: scope")
      }
      // Whoever else there is has sessions of their own.
      const session = step.session ?? (operators.has(by) ? (request?.sessionId ?? current) : `of ${by}`)
      yield* open(session)
      const refusals = Effect.map(world.auditRows, (rows) => rows.filter(({ kind }) => kind === "decision_refused"))
      const before = (yield* refusals).length
      yield* send(
        new DecideApproval({
          session,
          approvalId: request?.id ?? step.approval ?? "",
          digest: request === undefined ? "" : digestOf(step, request),
          decision: /^(?:approve|allow|grant|yes|y$)/.test(step.decision ?? "deny") ? "approve" : "deny",
          ...(step.scope === undefined ? {} : { scope: step.scope }),
          ...(step.reason === undefined ? {} : { reason: step.reason })
        })
      )
      if (!wait) return
      yield* fence(session)
      const refused = (yield* refusals)[before]
      if (refused !== undefined) return note(label, refused.outcome ?? "")
      const made = calls.find(({ requests }) => requests.some(({ id }) => id === request?.id))
      if (made !== undefined) yield* settle(made)
    })

  /** Moves the clock, from the end of one request's time to that of the next. */
  const advance = (step: Step) =>
    Effect.gen(function* () {
      let left = millisOf(step)
      while (left > 0) {
        const shown = (yield* world.boot.approvals.state()).pending[0]
        const passed = shown === undefined ? 0 : (shownFor.get(shown.id) ?? 0)
        const slice = shown === undefined ? left : Math.min(left, shown.timeoutMillis - passed)
        yield* TestClock.adjust(slice)
        left -= slice
        if (shown === undefined) return
        shownFor.set(shown.id, passed + slice)
        if (passed + slice < shown.timeoutMillis) continue
        const made = calls.find(({ requests }) => requests.some(({ id }) => id === shown.id))
        if (made !== undefined) yield* settle(made)
        while ((yield* world.boot.approvals.state()).pending.some(({ id }) => id === shown.id)) yield* Effect.yieldNow()
      }
    })

  /** A session approval that the row presupposes. */
  const presuppose = (name: string, args: Readonly<Record<string, unknown>>) =>
    Effect.gen(function* () {
      const made = called({ step: "tool_call", id: fresh("setup"), name, args }, true)
      yield* ask([made])
      const [request] = made.requests
      if (request === undefined) return
      const { digest, id: approvalId, sessionId: session } = request
      yield* send(new DecideApproval({ session, approvalId, digest, decision: "approve", scope: "session" }))
      yield* settle(made)
    })

  return {
    world,
    errors,
    calls,
    get session() {
      return current
    },
    note,
    send,
    fence,
    called,
    ask,
    aside,
    settle,
    byOperator,
    decide,
    requestFor,
    drain,
    advance,
    presuppose,
    labelOf: (id: string) => aliases.get(id) ?? id,
    say: (text: string) => {
      said = text
    },
    enter: (session: string) => {
      current = session
      return open(session)
    },
    /** The task of the session is over; its calls with it. */
    leave: (session = current) =>
      Effect.gen(function* () {
        const place = places.get(session)
        for (const made of calls) {
          if (made.session !== session || made.ended || made.stale) continue
          if (made.fiber !== undefined) yield* Fiber.interrupt(made.fiber)
          yield* settle(made)
        }
        if (place?.task === undefined) return
        const { task } = place
        yield* world.awaitEvent(session, (event, envelope) => envelope.task === task && isTerminal(event))
        place.task = undefined
      }),
    /** Another runtime goes on: tasks of the old one are no more. */
    abandon: () => {
      for (const place of places.values()) place.task = undefined
      for (const made of calls) if (!made.ended) made.stale = true
    },
    sessions: () => [...places.keys()],
    fresh
  }
}

export type Stage = ReturnType<typeof make>

/** What a step of a row does. */
export type Meaning = (stage: Stage, step: Step) => Effect.Effect<void>
