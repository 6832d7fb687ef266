import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { ModelAnswered, SessionCompacted } from "../../../src/agent/AgentEvent.ts"
import { Doings } from "../../../src/cli/prompt/Doings.ts"
import type { Event } from "../../../src/runtime/Event.ts"
import { SessionResumed, TaskCompleted } from "../../../src/runtime/RuntimeEvent.ts"
import { noUsage } from "../../../src/cost/Usage.ts"

const tokens = FastCheck.integer({ min: 0, max: 200_000 })

const answered = (inputTokens: number) =>
  new ModelAnswered({
    message: { id: "m", message: { role: "assistant", content: "Fine." } },
    finish: "stop",
    usage: { inputTokens, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 },
    durationMillis: 1
  })

const compacted = (before: number, after: number) =>
  new SessionCompacted({
    message: { id: "s", message: { role: "system", content: "So far." } },
    tokens: { before, after }
  })

const shown = (...events: ReadonlyArray<Event>): number | undefined => {
  const doings = new Doings()
  for (const [index, event] of events.entries())
    doings.hear({ version: 1, seq: index + 1, time: 0, session: "s", worker: ["root"], event })
  return doings.standing(undefined).context?.tokens
}

describe("the context in the status line", () => {
  it.prop(
    "is as much smaller after a summary as this has made it, whatever the model counts (K3, U12)",
    [tokens, tokens, tokens],
    ([counted, before, part]) => {
      const after = Math.min(before, part)
      const now = shown(answered(counted), compacted(before, after))
      if (counted === 0 || after === 0) return assert.isUndefined(now)
      assert.isAtMost(now ?? 0, counted)
      assert.closeTo((now ?? 0) / counted, after / before, 0.5 / counted + 1e-9)
    }
  )

  it("is what is estimated where nothing was counted here", () => {
    assert.strictEqual(shown(compacted(9000, 2000)), 2000)
  })
})

describe("the tasks in the status line", () => {
  const resumed = new SessionResumed({
    project: "/work",
    epoch: 2,
    unknownCalls: 0,
    goesOn: { task: "t1", approvals: [] }
  })
  const completed = new TaskCompleted({ text: "Done.", usage: noUsage, iterations: 1, durationMillis: 1 })
  const envelope = { version: 1, time: 0, session: "s", worker: ["root"] } as const

  it("are those too that go on where a session is resumed, until they end (R5, U12)", () => {
    const doings = new Doings()
    doings.hear({ ...envelope, seq: 1, event: resumed })
    assert.strictEqual(doings.standing(undefined).tasks, 1)
    doings.hear({ ...envelope, seq: 2, task: "t1", event: completed })
    assert.strictEqual(doings.standing(undefined).tasks, 0)
  })
})
