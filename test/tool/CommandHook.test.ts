import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, Schema } from "effect"
import { environment } from "../../src/process/Environment.ts"
import { Processes } from "../../src/process/Processes.ts"
import { CommandHook, toHook, toHooks } from "../../src/tool/CommandHook.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as HookProcesses from "../../src/tool/HookProcesses.ts"
import { HookNotRun, HookRunner, type HookProgram } from "../../src/tool/HookRunner.ts"
import { whole, type Output } from "../../src/process/Output.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Echo, request } from "./support.ts"

const decode = Schema.decodeUnknownSync(CommandHook, { onExcessProperty: "error" })

const call = (configured: ReadonlyArray<unknown>, text = "hi") =>
  Effect.gen(function* () {
    const hooks = configured.map((hook) => toHook(decode(hook)))
    const toolset = yield* Toolset.make([Echo], {
      middleware: DefaultStack.make({ hooks }),
      gate: Gate.unguarded("unit test")
    })
    return yield* Effect.either(toolset.call(request("echo", { text })))
  })

interface Printed {
  readonly exitCode?: number | null
  readonly stdout?: string | Output
  readonly stderr?: string
}

const silence = ""
const goOn = '{"decision":"continue"}'

const answering = ({ exitCode = 0, stderr = "", stdout = goOn }: Printed, heard: Array<HookProgram> = []) =>
  Layer.succeed(HookRunner, {
    run: (program) =>
      Effect.sync(() => {
        heard.push(program)
        return { exitCode, stdout: typeof stdout === "string" ? whole(stdout) : stdout, stderr }
      })
  })

const incomplete = (truncated: boolean): Output => ({
  _tag: "Incomplete",
  captured: { head: goOn, tail: "", droppedBytes: 0, droppedLines: 0 },
  truncated
})

const said = (ended: Either.Either<{ readonly text: string }, { readonly message: string }>) =>
  Either.match(ended, { onLeft: ({ message }) => message, onRight: ({ text }) => text })

describe("a hook that is a program", () => {
  it("is configured by its command alone, and by nothing it does not know (T8)", () => {
    assert.deepStrictEqual(decode({ event: "pre", command: ["check"] }), {
      event: "pre",
      tool: "*",
      command: ["check"],
      timeout: "10 seconds",
      onFailure: "fail"
    })
    for (const wrong of [
      { event: "pre" },
      { event: "pre", command: [] },
      { event: "during", command: ["x"] },
      { event: "pre", command: ["x"], timeout: "soon" },
      { event: "pre", command: ["x"], timeout: 0 },
      { event: "pre", command: ["x"], shell: true }
    ]) {
      assert.throws(() => decode(wrong))
    }
  })

  it.effect("reads what the call is as one line of JSON (T8)", () =>
    Effect.gen(function* () {
      const heard: Array<HookProgram> = []
      yield* Effect.provide(
        call([
          { event: "pre", command: ["a", "b"] },
          { event: "post", command: ["c"] }
        ]),
        answering({}, heard)
      )
      const common = {
        protocol: 1,
        tool: "echo",
        callId: "call_1",
        sessionId: "session_1",
        worker: ["root"],
        parameters: { text: "hi" }
      }
      assert.deepStrictEqual(
        heard.map(({ command, stdin }) => [command, JSON.parse(stdin)]),
        [
          [["a", "b"], { ...common, event: "pre" }],
          [["c"], { ...common, event: "post", outcome: { ok: true, text: "hi" } }]
        ]
      )
      assert.isTrue(heard.every(({ stdin }) => stdin.indexOf("\n") === stdin.length - 1))
    })
  )

  it.effect("is told of a failure as well (T8)", () =>
    Effect.gen(function* () {
      const heard: Array<HookProgram> = []
      const hooks = [toHook(decode({ event: "post", command: ["c"] }))]
      const toolset = yield* Toolset.make([Echo], {
        middleware: DefaultStack.make({ hooks }),
        gate: Gate.unguarded("unit test")
      })
      yield* Effect.provide(Effect.either(toolset.call(request("echo", { text: 7 }))), answering({}, heard))
      assert.deepInclude(JSON.parse(heard[0]?.stdin ?? "").outcome, { ok: false })
    })
  )

  const pre = [{ event: "pre", command: ["check"], name: "check" }]
  const post = [{ event: "post", command: ["check"], name: "check" }]
  const failed = (reason: string) => `The hook "check" of echo failed, so it was not run: ${reason}.`

  const answers: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, Printed, string]> = [
    [
      "fails where it says nothing",
      pre,
      { stdout: " \n" },
      failed('it answered nothing; to let the call run, print {"decision":"continue"}')
    ],
    ["fails where the end of its output was lost", pre, { stdout: incomplete(true) }, "its answer may be incomplete"],
    ["fails where its answer is too long", pre, { stdout: incomplete(false) }, "its output is too long"],
    [
      "aborts by exit code 2 though its output was lost",
      pre,
      { exitCode: 2, stderr: "frozen", stdout: incomplete(true) },
      "stopped it: frozen"
    ],
    ["continues where it says so", pre, { stdout: '{"decision":"continue"}' }, "hi"],
    [
      "aborts with its reason",
      pre,
      { stdout: '{"decision":"abort","reason":"frozen"}' },
      'echo was not run: the hook "check" stopped it: frozen'
    ],
    ["aborts by exit code 2", pre, { exitCode: 2, stderr: "frozen\n" }, 'the hook "check" stopped it: frozen'],
    ["answers in place of the tool", pre, { stdout: '{"decision":"abort","reason":"r","result":"cached"}' }, "cached"],
    ["replaces the parameters", pre, { stdout: '{"decision":"replace","parameters":{"text":"other"}}' }, "other"],
    [
      "has its parameters validated",
      pre,
      { stdout: '{"decision":"replace","parameters":{"text":1}}' },
      "The parameters of echo are invalid"
    ],
    [
      "fails without parameters to replace by",
      pre,
      { stdout: '{"decision":"replace"}' },
      failed('a pre hook that replaces needs "parameters"')
    ],
    [
      "fails by another exit code",
      pre,
      { exitCode: 1, stderr: "Traceback\n  line 3" },
      failed("it exited with code 1: Traceback line 3")
    ],
    ["fails by a signal", pre, { exitCode: null }, failed("it was ended by a signal")],
    ["fails by rubbish", pre, { stdout: "OK, fine!" }, failed("it printed something that is not an answer: OK, fine!")],
    [
      "fails by JSON that is no answer",
      pre,
      { stdout: '{"decision":"perhaps"}' },
      failed('it printed something that is not an answer: {"decision":"perhaps"}')
    ],
    [
      "fails where it says two things",
      pre,
      { stdout: '{"decision":"abort","reason":"no","decision":"continue"}' },
      failed('it printed an answer with a duplicate name: {"decision":"abort","reason":"no","decision":"continue"}')
    ],
    [
      "fails where it is not UTF-8 text",
      pre,
      { stdout: '{"decision":"abort","reason":"\u{fffd}"}' },
      failed('it printed something that is not an answer: {"decision":"abort","reason":"\u{fffd}"}')
    ],
    [
      "fails where it says more than it can",
      pre,
      { stdout: '{"decision":"continue","unless":"frozen"}' },
      "not an answer"
    ],
    ["keeps an outcome", post, { stdout: goOn }, "hi"],
    ["fails an outcome where it says nothing", post, { stdout: silence }, "failed, after it ran: it answered nothing"],
    ["fails an outcome where its answer was lost", post, { stdout: incomplete(true) }, "its answer may be incomplete"],
    ["replaces a result", post, { stdout: '{"decision":"replace","result":"better"}' }, "better"],
    ["rejects a result", post, { stdout: '{"decision":"abort","reason":"secret"}' }, "rejected the outcome: secret"],
    ["fails without a result to replace by", post, { stdout: '{"decision":"replace"}' }, 'needs "result"'],
    ["is passed over where it may be", [{ ...pre[0], onFailure: "skip" }], { stdout: "rubbish" }, "hi"]
  ]
  for (const [title, hooks, output, expected] of answers) {
    it.effect(`${title} (T8)`, () =>
      Effect.gen(function* () {
        assert.include(said(yield* Effect.provide(call(hooks), answering(output))), expected)
      })
    )
  }

  it("of a project counts only once the user trusts the project (T8)", () => {
    const hooks = {
      user: [decode({ event: "pre", command: ["mine"] })],
      project: [decode({ event: "pre", command: ["theirs"] })]
    }
    assert.deepStrictEqual(
      toHooks({ ...hooks, projectTrusted: false }).map(({ name }) => name),
      ["mine"]
    )
    assert.deepStrictEqual(
      toHooks({ ...hooks, projectTrusted: true }).map(({ name }) => name),
      ["mine", "theirs"]
    )
  })
})

describe("HookProcesses", () => {
  const real = HookProcesses.layer({ cwd: process.cwd(), env: environment({}) }).pipe(Layer.provide(Processes.layer))
  const shell = (script: string, more: object = {}) => ({
    event: "pre",
    command: ["/bin/sh", "-c", script],
    name: "sh",
    ...more
  })

  it.live("runs a real program with the call on its stdin (T8)", () =>
    Effect.gen(function* () {
      const replacing = yield* call([
        shell(`cat >/dev/null; echo '{"decision":"replace","parameters":{"text":"real"}}'`)
      ])
      assert.strictEqual(said(replacing), "real")
      const reading = yield* call([shell(`grep -q '"text":"hi"' && { echo seen >&2; exit 2; }`)])
      assert.include(said(reading), "seen")
    }).pipe(Effect.provide(real))
  )

  it.live("fails or skips a call whose program is not there, or hangs, and leaves none behind (T8)", () =>
    Effect.gen(function* () {
      const missing = yield* call([{ event: "pre", command: ["/no/such/program"], name: "gone" }])
      assert.include(
        said(missing),
        'The hook "gone" of echo failed, so it was not run: /no/such/program could not be run'
      )
      const hanging = yield* call([shell("sleep 1000", { timeout: 300 })])
      assert.include(said(hanging), "it did not answer within 300 ms")
      const skipped = yield* call([shell("sleep 1000", { timeout: "300 millis", onFailure: "skip" })])
      assert.strictEqual(said(skipped), "hi")
    }).pipe(Effect.provide(real))
  )

  it("says what could not be run (T8)", () => {
    assert.strictEqual(new HookNotRun({ command: "x", reason: "no" }).message, "x could not be run: no")
  })
})
