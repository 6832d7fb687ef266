import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Testing from "../../src/testing.ts"
import { Delegate } from "../../src/tools/Delegate.ts"
import { open, submit } from "../../src/ui/Conversation.ts"
import type { Step } from "../../src/ui/Narrator.ts"
import { present } from "../../src/ui/present.ts"
import * as RecordingUi from "../ui/RecordingUi.ts"
import { delegate, turn } from "./Delegating.ts"

const model = [
  turn("go", delegate("one", "finder")),
  turn("one", { say: "Looking. " }, delegate("two")),
  turn("two", { say: "Found." }),
  turn("one", { say: "It was found." }),
  turn("go", { say: "All is well." })
]

describe("a frontend", () => {
  it.effect("shows what workers say under their calls; the answer to the user is the root's alone (U1, U3)", () =>
    Effect.gen(function* () {
      const record: Array<Step> = []
      const opened = yield* open({ _tag: "New" }, "test")
      const { events } = yield* submit(opened, "go")
      yield* present(events).pipe(Effect.provide(RecordingUi.layer(record)))
      const text = record.flatMap((step) => (step._tag === "Text" ? [step.text] : []))
      assert.deepStrictEqual(text, ["All is well."])
      const ended = record.flatMap((step) => (step._tag === "TextEnded" ? [[step.final, step.text]] : []))
      assert.deepStrictEqual(ended, [[true, "All is well."]])
      const notes = record.flatMap((step) =>
        step._tag === "CallNote" ? [[...step.call.worker, step.call.tool, step.text]] : []
      )
      assert.deepStrictEqual(notes, [
        ["root", "delegate", "finder: Looking. "],
        ["root", "finder", "delegate", "W1: Found."],
        ["root", "delegate", "finder: It was found."]
      ])
    }).pipe(Effect.provide(Testing.layer({ tools: [Delegate], model })))
  )
})
