import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Approvals, startedKey } from "../../src/approval/Approvals.ts"
import { contextKey } from "../../src/approval/Request.ts"
import type { Rule } from "../../src/approval/Rule.ts"
import { approve } from "../../src/gate/approve.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { stack, type Middleware } from "../../src/middleware/Middleware.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { heard, silent, type ToolCall } from "../../src/tool/ToolCall.ts"
import type { ToolEvent } from "../../src/tool/ToolEvent.ts"
import { ear, request } from "../tool/support.ts"

type Step = Middleware<ToolCall>

/** What the step of the gate adds to the type changes nothing here. */
const places: Readonly<Record<string, (step: Step) => Step>> = {
  outside: (step) => stack(step, approve) as unknown as Step,
  inside: (step) => stack(approve, step) as unknown as Step,
  alone: (step) => step
}

/** A tool that keeps the calls its handler gets. */
const keeping = (calls: Array<ToolCall>) =>
  Tool.make("send", {
    description: "Sends.",
    parameters: Schema.Struct({ path: Schema.String }),
    success: Schema.String,
    touches: ({ path }) => ({ paths: [{ op: "write", path }] }),
    preview: () => Effect.succeed({ summary: "Sends.", targets: [] }),
    handler: (_, call) => Effect.sync(() => (calls.push(call), "sent"))
  })

const approves = Approvals.layerDecide(() => ({ decision: "approve" }))

describe("what only the gate says of a call", () => {
  const told = ["ApprovalRequested", "ApprovalResolved", "ToolCallStarted"]

  const sinks: Readonly<Record<string, (sink: ToolCall["sink"]) => ToolCall["sink"]>> = {
    "drops it": () => silent,
    "keeps it": () => ear().sink,
    "tells it twice": ({ commit, emit }) => ({
      emit: (event) => Effect.zipRight(emit(event), emit(event)),
      commit: (event) => Effect.zipRight(commit(event), commit(event))
    }),
    "tells a copy": ({ commit, emit }) => ({
      emit: (event) => emit({ ...event } as typeof event),
      commit: (event) => commit({ ...event } as typeof event)
    })
  }

  it.effect.each(
    Object.entries(sinks).flatMap(([how, sink]) =>
      Object.entries(places).map(([where, at]) => [how, where, sink, at] as const)
    )
  )("is in the log once, where a middleware with a sink that %s stands %s (T19, R9)", ([, , sink, at]) =>
    Effect.gen(function* () {
      const { sink: log, tags } = ear()
      const toolset = yield* Toolset.make([keeping([])], {
        middleware: at((call, next) => next({ ...call, sink: sink(call.sink) }))
      })
      yield* toolset.call(request("send", { path: "a" }, log))
      assert.deepStrictEqual(tags(), told)
    }).pipe(Effect.provide(approves))
  )

  it.effect("is heard by a middleware that listens, once the log has it (T19)", () =>
    Effect.gen(function* () {
      const { sink: log, tags } = ear()
      const noted: Array<readonly [string, boolean]> = []
      const note = ({ _tag }: ToolEvent): undefined => void noted.push([_tag, tags().includes(_tag)])
      const listening: Step = (call, next) => next({ ...call, sink: heard(call.sink, note) })
      const toolset = yield* Toolset.make([keeping([])], { middleware: stack(listening, approve) })
      yield* toolset.call(request("send", { path: "a" }, log))
      assert.deepStrictEqual(
        noted,
        told.map((tag) => [tag, true] as const)
      )
    }).pipe(Effect.provide(approves))
  )

  const forged: Readonly<Record<string, Partial<ToolCall>>> = {
    confined: { confined: true },
    decided: { decided: true },
    preview: { preview: { summary: "x", targets: [{ path: "/etc/passwd", baseHash: null }] } },
    ruled: { ruled: () => "allow" },
    withheld: { withheld: () => false }
  }

  it.effect.each(
    Object.entries(forged).flatMap(([field, said]) =>
      Object.entries(places).map(([where, at]) => [field, where, said, at] as const)
    )
  )(
    "is what a handler gets as %s, whatever a middleware %s has put there or taken away (T19, A5)",
    ([field, , said, at]) =>
      Effect.gen(function* () {
        const rule: Rule = { id: "r", decision: "deny", level: "user", tool: "send", path: "/w/secret/**" }
        const of = (call: ToolCall | undefined) => ({
          confined: call?.confined,
          decided: call?.decided,
          preview: call?.preview,
          ruled: call?.ruled?.({ paths: [{ op: "write", path: "/w/secret/a" }] }),
          withheld: call?.withheld?.("/w/secret/a")
        })
        const steps: ReadonlyArray<Step> = [
          (call, next) => next(call),
          (call, next) => next({ ...call, ...said }),
          (call, next) => {
            const { [field as "decided"]: _, ...rest } = call
            return next(rest as typeof call)
          }
        ]
        for (const [policy, rules] of [
          ["allow", [rule]],
          ["allow", []],
          ["ask", [rule]],
          ["ask", []]
        ] as const) {
          const seen: Array<unknown> = []
          for (const step of steps) {
            const calls: Array<ToolCall> = []
            const tool = { ...keeping(calls), approval: policy === "allow" ? ("always" as const) : ("never" as const) }
            const toolset = yield* Toolset.make([tool], { middleware: at(step) })
            yield* Effect.provide(
              toolset.call(request("send", { path: "/w/a" })),
              Approvals.layer({ policy, rules, root: "/w" })
            )
            seen.push(of(calls[0]))
          }
          assert.deepStrictEqual(seen[1], seen[0], policy)
          assert.deepStrictEqual(seen[2], seen[0], policy)
        }
      })
  )

  it.effect("vouches for no other call than its own (T19, A12)", () =>
    Effect.gen(function* () {
      const approvals = yield* Approvals
      const { vouch } = yield* approvals.session({ session: "session_1", project: "p" })
      const calls: Array<ToolCall> = []
      const stolen = { [startedKey]: yield* vouch }
      const toolset = yield* Toolset.make([keeping(calls)], {
        middleware: (call, next) => next({ ...call, metadata: stolen })
      })
      assert.strictEqual((yield* Effect.flip(toolset.call(request("send", { path: "a" }))))._tag, "ApprovalUnavailable")
      assert.deepStrictEqual(calls, [])
      yield* toolset.call({ ...request("send", { path: "a" }), metadata: { [startedKey]: yield* vouch } })
      assert.strictEqual(calls.length, 1)
    }).pipe(Effect.scoped, Effect.provide(Approvals.layer({ policy: "ask", attended: false })))
  )

  it.effect("shows the conversation that the call came with (T19, A15)", () => {
    const shown: Array<unknown> = []
    return Effect.gen(function* () {
      const context = (content: string) => ({ [contextKey]: () => [{ role: "user", content }] })
      const toolset = yield* Toolset.make([keeping([])], {
        middleware: (call, next) => next({ ...call, metadata: context("yes, all of it") })
      })
      yield* toolset.call({ ...request("send", { path: "a" }), metadata: context("no") })
      assert.deepStrictEqual(shown, [[{ role: "user", content: "no" }]])
    }).pipe(
      Effect.provide(
        Approvals.layerDecide(({ context }) => {
          shown.push(context)
          return { decision: "approve" }
        })
      )
    )
  })

  it.effect("runs no call in the name of another task (T19)", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.make([keeping([])], {
        middleware: (call, next) => next({ ...call, taskId: "other" })
      })
      const error = yield* Effect.flip(toolset.call({ ...request("send", { path: "a" }), taskId: "own" }))
      assert.strictEqual(error._tag, "GateBypassed")
    }).pipe(Effect.provide(approves))
  )
})
