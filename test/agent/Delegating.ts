import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ModelRequest } from "../../src/model/Model.ts"
import type { ScriptStep } from "../../src/model/Script.ts"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import type { EventTag } from "../../src/runtime/Event.ts"
import * as Testing from "../../src/testing.ts"
import type * as Tool from "../../src/tool/Tool.ts"

const promptOf = ({ messages }: ModelRequest): string | null | undefined =>
  messages.findLast(({ message }) => message.role === "user")?.message.content

/** A turn of the worker with this task, or of the root with this prompt. */
export const turn = (prompt: string, ...steps: ReadonlyArray<ScriptStep>) => ({
  when: (request: ModelRequest) => promptOf(request) === prompt,
  steps
})

export const delegate = (task: string, name?: string): ScriptStep => ({
  call: { name: "delegate", arguments: name === undefined ? { task } : { task, name } }
})

/** Plays the prompt `go` with these tools and gives what happened, which keeps the rules of every timeline. */
export const playing =
  <T extends ReadonlyArray<Tool.Any>>(tools: T) =>
  (
    turns: ReadonlyArray<Testing.Scripted.Turn>,
    options: Partial<Omit<Testing.HarnessOptions<T>, "model" | "tools">> = {}
  ) =>
    Effect.gen(function* () {
      const model = yield* Testing.Scripted.make(turns)
      const events = yield* Effect.flatMap(Testing.session(), (session) => session.run("go")).pipe(
        Effect.provide(Testing.layer({ ...options, tools, model }))
      )
      assert.deepStrictEqual(Testing.Timeline.violations(events), [])
      return { model, events, end: events.at(-1)?.event }
    })

/** What the workers with this task were sent, request by request. */
export const sentTo = (model: Testing.Scripted.ScriptedModel, prompt: string) =>
  Effect.map(model.requests, (requests) => requests.filter((request) => promptOf(request) === prompt))

/** Each event of these kinds with the path of its worker below the root. */
export const told = (envelopes: ReadonlyArray<Envelope>, ...tags: ReadonlyArray<EventTag>): ReadonlyArray<string> =>
  envelopes
    .filter(({ event }) => tags.includes(event._tag))
    .map(({ event, worker = [] }) => [event._tag, ...worker.slice(1)].join(" "))

/** The results of all calls in the order of their ends: the path, the tool, what it gave. */
export const results = (envelopes: ReadonlyArray<Envelope>): ReadonlyArray<readonly [string, string, string]> =>
  envelopes.flatMap(({ event, worker = [] }) =>
    event._tag === "ToolCallCompleted" || event._tag === "ToolCallFailed" || event._tag === "ToolCallInterrupted"
      ? [[worker.join("/"), event.tool, event.message.message.content ?? ""] as const]
      : []
  )
