import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Accounts } from "../../src/cost/Accounts.ts"
import { Ledger } from "../../src/cost/Ledger.ts"
import { total } from "../../src/cost/totals.ts"
import * as ConfiguredModels from "../../src/model/ConfiguredModels.ts"
import { Profile } from "../../src/model/Profile.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Tools } from "../../src/agent/Tools.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import * as SessionEvents from "../../src/runtime/Command.ts"
import * as Claude from "../model/AnthropicFake.ts"
import { answer, type Exchange, type Handler, serve, stream } from "../model/Loopback.ts"
import * as Gpt from "../model/OpenAiFake.ts"

const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

/** What each fake server says that one of its answers used, as its own protocol counts, in ours. */
const wires = [
  {
    name: "chat",
    profile: { provider: "chat-completions", model: "gpt-4.1" },
    says: stream(
      { choices: [{ delta: { content: "Hello" }, finish_reason: "stop" }] },
      {
        choices: [],
        usage: {
          prompt_tokens: 211,
          completion_tokens: 34,
          prompt_tokens_details: { cached_tokens: 128 },
          completion_tokens_details: { reasoning_tokens: 9 }
        }
      },
      "[DONE]"
    ),
    used: { ...usage, inputTokens: 211, outputTokens: 34, cachedInputTokens: 128, reasoningTokens: 9 }
  },
  {
    name: "openai",
    profile: { provider: "openai", model: "gpt-5" },
    says: Gpt.responses(Gpt.created, ...Gpt.text("Hello"), Gpt.completed),
    used: { ...usage, inputTokens: 100, outputTokens: 20, cachedInputTokens: 64, reasoningTokens: 5 }
  },
  {
    name: "anthropic",
    profile: { provider: "anthropic", model: "claude-sonnet-4-5" },
    says: Claude.messages(Claude.start, ...Claude.text("Hello"), ...Claude.stop()),
    used: { ...usage, inputTokens: 107, outputTokens: 20, cachedInputTokens: 64, cacheWriteTokens: 7 }
  }
] as const

/** The first request to each server fails, so that there are attempts without an answer. */
const flaky = (says: Handler): Handler => {
  let seen = 0
  return (exchange: Exchange) => (seen++ === 0 ? answer(503, "{}", {})(exchange) : says(exchange))
}

describe("the ledger, over real connections", () => {
  it.scopedLive("is the sum of what the servers counted, to the token, on all three wire formats (C1)", () =>
    Effect.gen(function* () {
      const servers = yield* Effect.forEach(wires, (wire) => serve(flaky(wire.says)))
      const decode = Schema.decodeUnknown(Schema.Record({ key: Schema.String, value: Profile }))
      const profiles = yield* decode(
        Object.fromEntries(
          wires.map(({ name, profile }, at) => [
            name,
            { ...profile, baseUrl: servers[at]?.url, apiKeyVariable: "KEY", maxAttempts: 3 }
          ])
        )
      )
      const key = () => Option.some(Redacted.make("secret-key"))
      const models = ConfiguredModels.layer(profiles, "chat", key).pipe(
        Layer.provide(Layer.merge(NodeHttpClient.layerUndici, NodeContext.layer))
      )
      const live = Runtime.layer.pipe(
        Layer.provide(Tools.layerEffect(Toolset.make([]))),
        Layer.provide(Approvals.layer({ policy: "deny" })),
        Layer.provide(models),
        Layer.provide(Accounts.layer({ budgets: { session: 10 } })),
        Layer.provideMerge(Layer.merge(MemorySessionStore.layer, Ledger.layerMemory))
      )
      yield* Effect.gen(function* () {
        const runtime = yield* Runtime
        const session = yield* runtime.session({ id: "s", create: { project: "/p" } })
        for (const { name } of wires) {
          yield* runtime.request(new SessionEvents.SwitchModel({ session: "s", profile: name }))
          yield* session.prompt("one")
          yield* session.prompt("two")
        }
        yield* runtime.request(new SessionEvents.SwitchModel({ session: "s", profile: "chat" }))
        const ledger = yield* Ledger
        const charges = yield* ledger.charges({ limit: 100 })
        for (const { name, profile, used } of wires) {
          const own = charges.filter((charge) => charge.profile === name)
          assert.deepStrictEqual(
            own.map(({ attempt, outcome }) => [attempt, outcome]),
            [
              [1, "failed"],
              [2, "answered"],
              [1, "answered"]
            ],
            name
          )
          const twice = Object.fromEntries(Object.entries(used).map(([field, count]) => [field, 2 * count]))
          const [sum] = yield* Effect.map(ledger.totals("model", {}), (found) =>
            found.filter(({ key }) => key === profile.model)
          )
          assert.deepStrictEqual(sum?.usage, twice, name)
          assert.isAbove(sum?.amount ?? 0, 0)
          assert.isFalse(own.some(({ estimated }) => estimated))
        }
        const all = total(yield* ledger.totals("session", { session: "s" }))
        assert.strictEqual(all.requests, charges.length)
        assert.strictEqual(
          all.amount,
          charges.reduce((sum, { amount = 0 }) => sum + amount, 0)
        )
      }).pipe(Effect.provide(live))
    })
  )
})
