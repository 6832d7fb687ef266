import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { plain } from "../../../src/cli/terminal/Style.ts"
import { paged } from "../../../src/cli/terminal/transcript/Folded.ts"
import { Transcript } from "../../../src/cli/terminal/transcript/Transcript.ts"
import { columns } from "../../../src/cli/terminal/Layout.ts"
import { ModelRejected } from "../../../src/model/ModelError.ts"
import { Interrupt } from "../../../src/runtime/Command.ts"
import type { Event } from "../../../src/runtime/Event.ts"
import type { Envelope } from "../../../src/runtime/Envelope.ts"
import * as Testing from "../../../src/testing.ts"
import * as Tool from "../../../src/tool/Tool.ts"
import { stdout } from "../../../src/tool/ToolCall.ts"
import { Delegate } from "../../../src/tools/Delegate.ts"
import { NeedInput } from "../../../src/tools/NeedInput.ts"
import { Narrator } from "../../../src/ui/Narrator.ts"
import { delegate, turn } from "../../agent/Delegating.ts"

const common = { description: "d", success: Schema.String, approval: "never" } as const
const ReadFile = Tool.make("read_file", {
  ...common,
  readOnly: true,
  parameters: Schema.Struct({ path: Schema.String }),
  handler: () => Effect.succeed("text")
})
const RunShell = Tool.make("run_shell", {
  ...common,
  parameters: Schema.Struct({ command: Schema.String }),
  failed: (text: string) => (text.startsWith("exit code 1") ? { reason: "exit code 1", exitCode: 1 } : undefined),
  handler: ({ command }, call) =>
    command === "sleep 600"
      ? Effect.zipRight(stdout(call, "waiting\n"), Effect.never)
      : Effect.as(
          stdout(call, Array.from({ length: 7 }, (_, at) => `${command} ${at + 1}\n`).join("")),
          command === "false" ? "exit code 1\nnot ok" : "exit code 0\nok"
        )
})

const read = (file: string) => ({ call: { name: "read_file", arguments: { path: file } } })
const run = (command: string) => ({ call: { name: "run_shell", arguments: { command } } })

/** Two siblings, one of them three deep; a command that fails, a worker that fails, one that asks, and one that is ended. */
const model = [
  turn("go", delegate("find the wrong sum in the cart", "finder"), delegate("write the test", "tester")),
  turn("find the wrong sum in the cart", { say: "I look at both first." }, read("cart.js"), read("sum.js")),
  turn("find the wrong sum in the cart", delegate("which commit broke it", "history")),
  turn("which commit broke it", run("git log"), delegate("run the tests at that commit", "runner")),
  turn("run the tests at that commit", run("npm test")),
  turn("run the tests at that commit", { say: "They fail since 1a2b3c." }),
  turn("which commit broke it", { say: "Commit 1a2b3c." }),
  turn("find the wrong sum in the cart", { say: "Line 7 subtracts the discount twice." }),
  turn("write the test", run("false")),
  turn("write the test", { say: "Written; it fails as it should." }),
  turn("go", delegate("deploy", "asker"), delegate("wait for the server", "waiter"), delegate("no answer", "broken")),
  turn("deploy", { call: { name: "need_input", arguments: { question: "Where to?" } } }),
  turn("wait for the server", run("sleep 600")),
  turn("no answer", { fail: new ModelRejected({ model: "scripted", reason: "no such model", status: 404 }) }),
  turn("go", { say: "The sum is right again." })
]

const tools = [Delegate, NeedInput, ReadFile, RunShell] as const

/** The events of the task, whose worker `waiter` a person ends. */
const events = Effect.gen(function* () {
  const session = yield* Testing.session()
  const running = yield* Effect.fork(session.run("go"))
  const isWaiting = (event: Event): event is Extract<Event, { _tag: "ToolCallRequested" }> =>
    event._tag === "ToolCallRequested" && event.arguments.includes("sleep 600")
  yield* session.awaitEvent(isWaiting)
  yield* session.awaitEvent((event): event is Extract<Event, { _tag: "WorkerFailed" }> => event._tag === "WorkerFailed")
  yield* session.send(new Interrupt({ session: session.id, worker: ["root", "waiter"] }))
  const all = yield* Fiber.join(running)
  assert.deepStrictEqual(Testing.Timeline.violations(all), [])
  return all
}).pipe(Effect.provide(Testing.layer({ tools, model })))

const shown = (width: number, envelopes: ReadonlyArray<Envelope>) => {
  const narrator = new Narrator()
  const transcript = new Transcript({ style: plain, width: () => width, split: false, live: true })
  const written = envelopes
    .flatMap((envelope) => narrator.tell(envelope))
    .flatMap((step) => {
      switch (step._tag) {
        case "Status":
        case "Progress":
        case "Notice":
        case "Ask":
        case "Asked":
        case "ClientCall":
        case "ClientCallEnded":
          return []
        case "Diff":
          return transcript.diff(step.diff)
        default:
          return transcript.render(step)
      }
    })
  return { text: written.map(({ text }) => text).join(""), transcript }
}

describe("the transcript", () => {
  it.effect("shows what sub-workers do under the calls that started them, in the model's order (U9, U3)", () =>
    Effect.gen(function* () {
      const told = yield* events
      for (const width of [40, 80, 120]) {
        const { text } = shown(width, told)
        assert.isTrue(text.split("\n").every((row) => columns(row) <= width))
        yield* Effect.promise(() =>
          expect(text).toMatchFileSnapshot(`../../fixtures/screens/nested-workers-${width}.txt`)
        )
      }
      const opened = paged(shown(80, told).transcript.folded).lines.map(({ text }) => text)
      assert.include(opened, "npm test 1")
      assert.include(opened, "Line 7 subtracts the discount twice.")
    })
  )
})
