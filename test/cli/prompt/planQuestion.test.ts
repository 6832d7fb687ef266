import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PlanQuestion from "../../../src/cli/prompt/PlanQuestion.ts"
import { PromptState } from "../../../src/cli/prompt/PromptState.ts"
import { noUsage } from "../../../src/model/ModelPart.ts"
import type { Event } from "../../../src/runtime/Event.ts"
import { TaskCompleted, TaskStarted } from "../../../src/runtime/RuntimeEvent.ts"
import { TodosChanged, trusted } from "../../../src/tool/ToolEvent.ts"
import * as RecordingUi from "../../ui/RecordingUi.ts"

const completed = (text: string) =>
  new TaskCompleted({ text, usage: noUsage, iterations: 1, durationMillis: 1 }, trusted)

/** Whether the question follows these tasks. */
const planned = (...events: ReadonlyArray<Event>) => {
  const state = new PromptState({ mode: "plan", profile: "p", sandbox: "" })
  for (const event of events) state.hear({ version: 1, seq: 1, time: 0, session: "s", task: "t", event })
  return state.planned
}

describe("the question after a plan", () => {
  it.each([
    ["Hello there.", false],
    ["It is in a.ts - I looked. 1. of all, fine.", false],
    ["- only one thing", false],
    ["I would:\n\n1. read it\n2. mend it", true],
    ["- read it\n- mend it", true],
    ["## Plan\nMend it.", true],
    ["**Plan:**\nMend it.", true]
  ])("is asked of an answer that is a plan: %j (U13)", (text, isPlan) => {
    assert.strictEqual(planned(new TaskStarted({}, trusted), completed(text)), isPlan)
  })

  it("is asked where steps were planned, in this task and not the one before (U13)", () => {
    const steps = new TodosChanged(
      { callId: "c", tool: "todo", items: [{ text: "mend it", status: "pending" }] },
      trusted
    )
    const first = [new TaskStarted({}, trusted), steps, completed("Ready.")]
    assert.isTrue(planned(...first))
    assert.isFalse(planned(...first, new TaskStarted({}, trusted), completed("Hello.")))
  })

  it.effect("takes no command for a change of the plan, and asks again (U13)", () =>
    Effect.gen(function* () {
      const lines = ["!rm a.txt", "/status", "use b.txt"]
      const layer = RecordingUi.layer([], { lines })
      const chosen = yield* Effect.provide(
        Effect.flatMap(PlanQuestion.make, ({ ask }) => ask),
        layer
      )
      assert.deepStrictEqual(chosen, { _tag: "Change", text: "use b.txt" })
    })
  )
})
