import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as FileSystem from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as ConfiguredModels from "../../src/model/ConfiguredModels.ts"
import { Models } from "../../src/model/Models.ts"
import { Profile } from "../../src/model/Profile.ts"
import { openRouted } from "../../src/model/openModel.ts"
import type { RoutingDecision, RoutingHook } from "../../src/model/Routing.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import { answer, serve, stream } from "./Loopback.ts"
import { failureOf, parts, secret, textOf } from "./support.ts"

const platform = Layer.merge(NodeHttpClient.layerUndici, NodeContext.layer)

const live = (
  title: string,
  test: () => Effect.Effect<void, Error, Layer.Layer.Success<typeof platform> | Scope.Scope>
) => it.scopedLive(title, () => Effect.provide(Effect.orDie(test()), platform))

const decode = Schema.decodeUnknown(Schema.Record({ key: Schema.String, value: Profile }))

const variables =
  (values: Record<string, string>) =>
  (name: string): Option.Option<Redacted.Redacted> =>
    Option.map(Option.fromNullable(values[name]), Redacted.make)

const configure = (
  profiles: Record<string, object>,
  values: Record<string, string> = {},
  options: ConfiguredModels.Options = {}
) =>
  Effect.gen(function* () {
    const decoded = yield* Effect.orDie(decode(profiles))
    const layer = ConfiguredModels.layer(decoded, Object.keys(profiles)[0] ?? "", variables(values), options)
    return yield* Effect.provide(Models, layer)
  })

const chat = (text: string) =>
  stream({ model: text, choices: [{ delta: { content: text }, finish_reason: "stop" }] }, "[DONE]")
const local = (url: string, more: object = {}) => ({ provider: "chat-completions", model: "m", baseUrl: url, ...more })
const say = (models: Models["Type"], profile: string) =>
  Effect.map(
    Effect.flatMap(models.get(profile), (model) => parts(model)),
    textOf
  )

const problem = (profile: object) => Effect.map(failureOf(decode({ p: profile })), (error) => error.message)

describe("ConfiguredModels", () => {
  live("checks that the credentials are there before anything is sent (R10)", () =>
    Effect.gen(function* () {
      const server = yield* serve(chat("ok"))
      const profiles = {
        keyed: local(server.url, { apiKeyVariable: "MY_KEY" }),
        gpt: { provider: "openai", model: "x", baseUrl: server.url },
        claude: { provider: "anthropic", model: "x", baseUrl: server.url }
      }
      const models = yield* configure(profiles, { ANTHROPIC_API_KEY: "  " })
      for (const [profile, variable] of [
        ["keyed", "MY_KEY"],
        ["gpt", "OPENAI_API_KEY"],
        ["claude", "ANTHROPIC_API_KEY"]
      ] as const) {
        const error = yield* failureOf(models.get(profile))
        assert.isTrue(error._tag === "CredentialsMissing" && error.variable === variable)
      }
      assert.strictEqual(server.seen.length, 0)
    })
  )

  live("opens a profile once, with the key that its variable holds (R10)", () =>
    Effect.gen(function* () {
      const server = yield* serve(chat("ok"))
      const models = yield* configure(
        { keyed: local(server.url, { apiKeyVariable: "MY_KEY" }) },
        { MY_KEY: `${secret}\n` }
      )
      assert.deepStrictEqual([models.profiles, models.preferred], [["keyed"], "keyed"])
      const [first, second] = yield* Effect.all([models.get("keyed"), models.get("keyed")], { concurrency: 2 })
      assert.strictEqual(first, second)
      yield* parts(first)
      assert.strictEqual(server.seen[0]?.headers["authorization"], `Bearer ${secret}`)
    })
  )

  live("serves a local server without a key, and the hosted providers by their own protocols (R10)", () =>
    Effect.gen(function* () {
      const server = yield* serve(answer(418, '{"error":"teapot"}'))
      const models = yield* configure(
        {
          local: local(`${server.url}/v1`),
          gpt: { provider: "openai", model: "x", baseUrl: server.url },
          claude: { provider: "anthropic", model: "x", baseUrl: server.url }
        },
        { OPENAI_API_KEY: "openai-key", ANTHROPIC_API_KEY: "anthropic-key" }
      )
      for (const profile of models.profiles)
        yield* failureOf(Effect.flatMap(models.get(profile), (model) => parts(model)))
      assert.deepStrictEqual(
        server.seen.map(({ path, headers }) => [path, headers["authorization"] ?? headers["x-api-key"]]),
        [
          ["/v1/chat/completions", undefined],
          ["/responses", "Bearer openai-key"],
          ["/v1/messages", "anthropic-key"]
        ]
      )
    })
  )

  live("plays a script from its file, and says what is wrong with one (R7)", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      yield* files.writeFileString(`${folder}/good.json`, '{"turns":[{"repeat":true,"steps":[{"say":"played"}]}]}')
      yield* files.writeFileString(`${folder}/bad.json`, '{"turns":[{"steps":[{"sing":"la"}]}]}')
      const scripted = (script: string) => ({ provider: "scripted", script: `${folder}/${script}` })
      const models = yield* configure({
        good: scripted("good.json"),
        bad: scripted("bad.json"),
        none: scripted("none.json")
      })
      assert.strictEqual(yield* say(models, "good"), "played")
      assert.include((yield* failureOf(models.get("bad"))).message, "turns.0.steps.0.sing")
      assert.include((yield* failureOf(models.get("none"))).message, "cannot be read")
    })
  )

  live("names the profiles there are when asked for another (R10)", () =>
    Effect.gen(function* () {
      const models = yield* configure({ one: local("http://127.0.0.1:9"), two: local("http://127.0.0.1:9") })
      for (const name of ["three", "constructor"]) {
        assert.include((yield* failureOf(models.get(name))).message, "Known: one, two")
      }
    })
  )

  live("runs the routing hooks in order, after configuration and before fallback (R10)", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) =>
        exchange.path.startsWith("/broken") ? answer(401, "{}")(exchange) : chat(exchange.path)(exchange)
      )
      const seen = yield* Ref.make<ReadonlyArray<RoutingDecision>>([])
      const hook =
        (change: (decision: RoutingDecision) => RoutingDecision): RoutingHook =>
        (decision) =>
          Effect.as(
            Ref.update(seen, (all) => [...all, decision]),
            change(decision)
          )
      const models = yield* configure(
        {
          small: local(`${server.url}/small`),
          large: local(`${server.url}/broken`, { fallback: ["missing-key", "spare"] }),
          "missing-key": local(`${server.url}/never`, { apiKeyVariable: "NOT_SET" }),
          spare: local(`${server.url}/spare`)
        },
        {},
        {
          context: { project: "p" },
          routing: [
            hook((decision) => ({
              ...decision,
              requested: "forged",
              selected: "large",
              reason: "long task",
              weight: "heavy"
            })),
            hook((decision) => decision)
          ]
        }
      )
      const { decision, model } = yield* openRouted(models, { profile: "small", context: { task: "t" } })
      assert.deepInclude(decision, { requested: "small", selected: "large", reason: "long task" })
      assert.strictEqual(textOf(yield* parts(yield* models.get("small"))), "/small/chat/completions")
      const got = yield* parts(model)
      assert.strictEqual(textOf(got), "/spare/chat/completions")
      const failed = got.find((part) => part._tag === "AttemptFailed")
      assert.isTrue(failed?._tag === "AttemptFailed" && failed.attempt === 1 && failed.reason.includes("Falling back"))
      const [first, second] = yield* Ref.get(seen)
      assert.deepInclude(first, { requested: "small", selected: "small", reason: "configured", weight: "normal" })
      assert.deepInclude(first?.context, { project: "p", preferred: "small", task: "t" })
      assert.deepInclude(second, { requested: "small", selected: "large", reason: "long task", weight: "heavy" })
    })
  )

  live("falls back from a model that its server does not have, or has no more (R10)", () =>
    Effect.gen(function* () {
      for (const status of [404, 410]) {
        const server = yield* serve((exchange) =>
          exchange.path.startsWith("/gone")
            ? answer(status, '{"error":{"message":"The model does not exist"}}')(exchange)
            : chat("spare")(exchange)
        )
        const models = yield* configure({
          gone: local(`${server.url}/gone`, { fallback: ["spare"] }),
          spare: local(`${server.url}/spare`)
        })
        assert.strictEqual(yield* say(models, "gone"), "spare", `HTTP ${status}`)
        assert.strictEqual(server.seen.length, 2, "and it is asked once only")
      }
    })
  )

  live("does not fall back where the request itself was declined, and reports the first error if all fail (R10)", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) =>
        answer(
          exchange.path.startsWith("/declines") ? 400 : exchange.path.startsWith("/one") ? 401 : 403,
          "{}"
        )(exchange)
      )
      const models = yield* configure({
        declines: local(`${server.url}/declines`, { fallback: ["one"] }),
        one: local(`${server.url}/one`, { fallback: ["two"] }),
        two: local(`${server.url}/two`)
      })
      const declined = yield* failureOf(Effect.flatMap(models.get("declines"), (model) => parts(model)))
      assert.strictEqual(declined._tag, "ModelRejected")
      const all = yield* failureOf(Effect.flatMap(models.get("one"), (model) => parts(model)))
      assert.isTrue(all._tag === "ModelUnauthorized" && all.status === 401)
      assert.strictEqual(server.seen.length, 3)
    })
  )

  live("retries as often as the profile says (R7)", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) =>
        exchange.number < 2 ? answer(503, "{}", { "retry-after-ms": "1" })(exchange) : chat("at last")(exchange)
      )
      const models = yield* configure({ patient: local(server.url, { maxAttempts: 2 }) })
      assert.strictEqual(yield* say(models, "patient"), "at last")
    })
  )

  it.effect("refuses a profile that cannot be right, saying where (R10)", () =>
    Effect.gen(function* () {
      assert.include(yield* problem(local("ftp://x")), "expected an http or https URL")
      assert.include(yield* problem(local("http://x", { silenceTimeout: "soon" })), 'like "90 seconds"')
      assert.include(yield* problem(local("http://x", { apiKeyVariable: "sk-proj 123" })), "apiKeyVariable")
    })
  )
})

describe("Models", () => {
  it.effect("serves given models by name, the first preferred (R10)", () =>
    Effect.gen(function* () {
      const one = yield* Scripted.make(["one"])
      const models = yield* Effect.provide(Models, Models.layerOf({ one, two: one }))
      assert.deepStrictEqual([models.profiles, models.preferred], [["one", "two"], "one"])
      assert.strictEqual(yield* models.get("two"), one)
      assert.strictEqual((yield* failureOf(models.get("three")))._tag, "ProfileNotFound")
    })
  )
})
