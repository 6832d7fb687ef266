import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Option, Schema, Stream, TestClock } from "effect"
import type { Dialogue } from "../../../src/cli/prompt/Dialogue.ts"
import * as PromptSession from "../../../src/cli/prompt/PromptSession.ts"
import { PromptState } from "../../../src/cli/prompt/PromptState.ts"
import type { Listener, Session } from "../../../src/cli/prompt/Session.ts"
import { Interrupt } from "../../../src/runtime/Command.ts"
import { type Event, isTerminal } from "../../../src/runtime/Event.ts"
import { Runtime } from "../../../src/runtime/Runtime.ts"
import * as Testing from "../../../src/testing.ts"
import * as Tool from "../../../src/tool/Tool.ts"
import { stdout } from "../../../src/tool/ToolCall.ts"
import { Delegate } from "../../../src/tools/Delegate.ts"
import { submit } from "../../../src/ui/Conversation.ts"
import { present } from "../../../src/ui/present.ts"
import { Ui } from "../../../src/ui/Ui.ts"
import { delegate, results, told, turn } from "../../agent/Delegating.ts"
import { staged } from "../terminal/staged.ts"

/** Says something, and takes a while to tidy up. */
const Work = Tool.make("work", {
  description: "d",
  parameters: Schema.Struct({ tidies: Schema.Number }),
  success: Schema.String,
  approval: "never",
  handler: ({ tidies }, call) =>
    Effect.zipRight(stdout(call, "half done"), Effect.never).pipe(Effect.onInterrupt(() => Effect.sleep(tidies)))
})
const tools = [Delegate, Work] as const

const model = [
  turn("go", { say: "I begin." }, delegate("the first job", "one")),
  turn("the first job", { say: "I look around." }, delegate("the second job", "two")),
  turn("the second job", { say: "I look closer." }, delegate("the third job", "three")),
  turn("the third job", { say: "I work." }, { call: { name: "work", arguments: { tidies: 190 } } }),
  turn("and now?", { say: "Here again." })
]

/** A prompt that sends what is typed into a session of the runtime of the test. */
const prompting = (session: Testing.TestSession) =>
  Effect.gen(function* () {
    const ui = yield* Ui
    const runtime = yield* Runtime
    const opened = { session: session.id, seq: 1 }
    const open = ({ ended, heard }: Listener) =>
      Effect.succeed({
        profile: "",
        spent: { amount: 0, unpriced: false },
        shown: present(runtime.subscribe(session.id, { from: 1 }), {
          after: (envelope) => Effect.zipRight(heard(envelope), isTerminal(envelope.event) ? ended : Effect.void)
        }),
        submit: (text: string) => Effect.provideService(submit(opened, text), Runtime, runtime),
        interrupt: Effect.ignore(runtime.send(new Interrupt({ session: session.id })))
      } as unknown as Session)
    const current = yield* PromptSession.make({
      dialogue: Effect.succeed({ open } as unknown as Dialogue),
      ended: Effect.void,
      isShown: true,
      policy: "allow",
      quit: yield* Deferred.make<void>(),
      say: () => Effect.void,
      state: new PromptState({ mode: "allow", profile: "", sandbox: "" })
    })
    yield* Effect.forkScoped(Stream.runForEach(ui.interruptions, () => current.interrupt))
    const loop = Effect.flatMap(ui.input("› "), (line) =>
      current.task((session) => session.submit(Option.getOrElse(line, () => "")))
    )
    yield* Effect.forkScoped(Effect.forever(loop))
  })

describe("esc at the prompt", () => {
  it.scoped("ends three nested workers with what they had, and the prompt is back within 200 ms (U3, U8)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      const { bottom, layer, press, printed, type } = yield* staged
      yield* Effect.gen(function* () {
        yield* prompting(session)
        yield* TestClock.adjust(1)
        yield* type("go")
        yield* press("return")
        yield* session.awaitEvent((event): event is Event => event._tag === "ToolCallStarted" && event.tool === "work")
        // What is shown is paced.
        yield* TestClock.adjust("1 second")
        assert.include(bottom()?.text, "type here while it runs")
        yield* press("escape")
        yield* TestClock.adjust(Duration.millis(200))
        assert.strictEqual(bottom()?.text, "› ", "the prompt is back")
        const recorded = yield* session.recorded
        assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
        assert.deepInclude(recorded.at(-1)?.event, { _tag: "TaskInterrupted" })
        const ended = ["WorkerInterrupted one two three", "WorkerInterrupted one two", "WorkerInterrupted one"]
        assert.deepStrictEqual(told(recorded, "WorkerInterrupted"), ended)
        const ends = results(recorded)
        assert.deepStrictEqual(
          ends.map(([place, tool]) => `${place} ${tool}`),
          ["root/one/two/three work", "root/one/two delegate", "root/one delegate", "root delegate"]
        )
        for (const [, , content] of ends) assert.include(content, "was interrupted")
        assert.include(ends[0]?.[2], '"partial":"half done"')
        for (const name of ["one", "two", "three"]) assert.include(printed(), `◼ ${name} interrupted`)
        for (const text of ["I look around.", "I look closer.", "I work."]) assert.include(printed(), text)
        yield* type("and now?")
        yield* press("return")
        yield* session.awaitEvent((event): event is Event => event._tag === "TaskCompleted")
        yield* TestClock.adjust("1 second")
        assert.include(printed(), "Here again.")
      }).pipe(Effect.ensuring(TestClock.adjust("1 minute")), Effect.provide(layer))
    }).pipe(Effect.provide(Testing.layer({ tools, model })))
  )
})
