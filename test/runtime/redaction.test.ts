import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { make as makeRedactor } from "../../src/redaction/Redactor.ts"
import { redactEvent } from "../../src/runtime/redactEvent.ts"
import { brief } from "../../src/ui/Arguments.ts"
import { fromLine, toLine } from "../../src/runtime/Envelope.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { ApprovalRequested, trusted } from "../../src/tool/ToolEvent.ts"
import { stdout } from "../../src/tool/ToolCall.ts"

/** Put together here, so that scanners of the repository stay quiet. */
const secret = ["ghp", "_", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"].join("")

class Refused extends Schema.TaggedError<Refused>()("Refused", { token: Schema.String }) {
  override get message() {
    return `not with ${this.token}`
  }
}

const ran: Array<unknown> = []
const common = { description: "d", parameters: Schema.Struct({ token: Schema.String }), success: Schema.String }
const tools = [
  Tool.make("say", {
    ...common,
    handler: ({ token }, call) =>
      Effect.gen(function* () {
        ran.push(token)
        for (const piece of [`token ${secret.slice(0, 7)}`, secret.slice(7, 20), `${secret.slice(20)} end\n`]) {
          yield* stdout(call, piece)
        }
        return `the token is ${secret}`
      })
  }),
  Tool.make("refuse", { ...common, failure: Refused, handler: ({ token }) => new Refused({ token }) }),
  Tool.make("crash", { ...common, handler: ({ token }) => Effect.die(new Error(`crashed with ${token}`)) })
] as const

describe("arguments of a model", () => {
  it.effect("that are nested too deep are refused with a reason, and the session stays legible (R14)", () =>
    Effect.gen(function* () {
      const deep = `{"token":${"[".repeat(5000)}${"]".repeat(5000)}}`
      const model = yield* Testing.Scripted.make([[{ call: { name: "say", arguments: deep } }], "sorry"])
      const program = Effect.gen(function* () {
        const session = yield* Testing.session()
        return yield* session.run("go")
      })
      const seen = yield* Effect.provide(program, Testing.layer({ tools, model }))
      const failed = seen.flatMap(({ event }) => (event._tag === "ToolCallFailed" ? [event.error] : []))
      assert.deepStrictEqual(failed, [
        {
          _tag: "ArgumentsMalformed",
          message: "The arguments of say are nested deeper than 64 levels. Call it again with flatter ones."
        }
      ])
      assert.strictEqual(seen.at(-1)?.event._tag, "TaskCompleted")
      assert.strictEqual(brief(deep), deep)
      for (const envelope of seen) assert.deepStrictEqual(yield* fromLine(toLine(envelope)), envelope)
      const line = toLine(seen[0]!).replace('"event":', `"more":${"[".repeat(5000)}${"]".repeat(5000)},"event":`)
      assert.strictEqual((yield* Effect.flip(fromLine(line)))._tag, "EventTooDeep")
    })
  )

  it.effect("keep no secret behind an escape, in no event and no delta (S5)", () =>
    Effect.gen(function* () {
      const script = `make\n${secret}\nexport DEPLOY=${secret}`
      const given = JSON.stringify({ token: "x", script, nested: JSON.stringify({ script }) })
      const model = yield* Testing.Scripted.make([[{ call: { name: "say", arguments: given } }], "done"])
      const program = Effect.gen(function* () {
        const session = yield* Testing.session()
        return yield* session.run("go")
      })
      const seen = yield* Effect.provide(program, Testing.layer({ tools, model }))
      assert.isTrue(seen.some(({ event }) => event._tag === "ArgumentsDelta"))
      assert.notInclude(JSON.stringify(seen), secret.slice(4))
      assert.notInclude(JSON.stringify(yield* model.requests), secret.slice(4))
    })
  )
})

describe("secrets", () => {
  it("hide nothing that runs from those who approve, in the event of the request as well (A15)", () => {
    const event = new ApprovalRequested(
      {
        request: {
          id: "1",
          callId: "c",
          sessionId: "s",
          tool: "run_shell",
          workerPath: ["root"],
          risk: "high",
          digest: "d",
          arguments: { command: 'PASSWORD="abc $(touch P)" make' },
          message: `TOKEN=${secret};touch P`,
          scopes: ["once"],
          requestedAt: 0,
          timeoutMillis: 1
        },
        ahead: 0
      },
      trusted
    )
    const { request } = redactEvent(event, makeRedactor())
    assert.deepStrictEqual(
      [request.arguments, request.message],
      [{ command: 'PASSWORD="[redacted-password]$(touch P)" make' }, "TOKEN=[redacted-github-token];touch P"]
    )
  })

  it.effect("reach no event, no log and no model, while the tool gets its real arguments (S5)", () =>
    Effect.gen(function* () {
      const model = yield* Testing.Scripted.make([
        [
          { think: `I have ${secret}` },
          { say: `Using ${secret} now.` },
          { call: { name: "say", arguments: { token: secret } } },
          { call: { name: "refuse", arguments: { token: secret } } },
          { call: { name: "crash", arguments: { token: secret } } },
          { call: { name: "none", arguments: { token: secret } } }
        ],
        `It was ${secret}.`
      ])
      const program = Effect.gen(function* () {
        const session = yield* Testing.session()
        return yield* session.run(`here is ${secret}`)
      })
      const seen = yield* Effect.provide(program, Testing.layer({ tools, model }))
      assert.deepStrictEqual(ran, [secret])
      assert.notInclude(JSON.stringify(seen), secret)
      assert.include(JSON.stringify(seen), "[redacted")
      const output = seen.flatMap(({ event }) => (event._tag === "ToolOutput" ? [event.text] : [])).join("")
      assert.match(output, /^token \[redacted[^\]]*\] end\n$/)
      const requests = yield* model.requests
      assert.strictEqual(requests.length, 2)
      assert.notInclude(JSON.stringify(requests), secret)
    })
  )
})
