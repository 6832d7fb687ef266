import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { workerRows } from "../../../src/cli/prompt/workerRows.ts"
import { columns } from "../../../src/cli/terminal/Layout.ts"
import * as Testing from "../../../src/testing.ts"
import * as Tool from "../../../src/tool/Tool.ts"
import { isWithin } from "../../../src/tool/WorkerPath.ts"
import { Delegate } from "../../../src/tools/Delegate.ts"
import { NeedInput } from "../../../src/tools/NeedInput.ts"
import { delegate, turn } from "../../agent/Delegating.ts"

const RunShell = Tool.make("run_shell", {
  description: "d",
  approval: "never",
  parameters: Schema.Struct({ command: Schema.String }),
  success: Schema.String,
  failed: (text: string) => (text.startsWith("exit code 1") ? { reason: "exit code 1", exitCode: 1 } : undefined),
  handler: () => Effect.succeed("exit code 1\nnot ok")
})

const run = (command: string) => ({ call: { name: "run_shell", arguments: { command } } })

const model = [
  turn("go", delegate("write the test", "tester")),
  turn("write the test", { say: "I run it **first**." }, run("npm test"), delegate("deploy", "asker")),
  turn("deploy", { call: { name: "need_input", arguments: { question: "Where to?" } } }),
  turn("write the test", { say: "Written." }),
  turn("go", { say: "Done." })
]

describe("what one worker did", () => {
  it.effect("reads as the transcript does, while it runs and once it has ended (U3, U9)", () =>
    Effect.gen(function* () {
      const all = yield* (yield* Testing.session()).run("go")
      const path = ["root", "tester"]
      const within = all.filter(({ worker = [] }) => isWithin(worker, path))
      const rows = workerRows(path, within, () => 60)
      assert.isTrue(rows.every((row) => columns(row) <= 60))
      assert.deepStrictEqual(
        rows.map((row) => row.replaceAll(/ {3,}/g, " … ")),
        [
          "› write the test",
          "",
          "I run it first.",
          "",
          "✗ Ran npm test … exit 1",
          "  │ not ok",
          "• Delegated to asker deploy",
          "  • Asked its parent Where to?",
          "  • asker done · needs to know more",
          "",
          "Written."
        ]
      )
      const began = within.findIndex(({ event }) => event._tag === "ToolCallStarted")
      assert.include(workerRows(path, within.slice(0, began + 1), () => 60).at(-1), "Running npm test")
      const asker = [...path, "asker"]
      const asked = workerRows(
        asker,
        within.filter(({ worker = [] }) => isWithin(worker, asker)),
        () => 60
      )
      assert.deepStrictEqual(asked, ["› deploy", "", "• Asked its parent Where to?", "", "· needs to know: Where to?"])
    }).pipe(Effect.provide(Testing.layer({ tools: [Delegate, NeedInput, RunShell] as const, model })))
  )
})
