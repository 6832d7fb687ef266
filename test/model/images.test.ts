import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Layer, Option, Redacted } from "effect"
import { type Image, isImage, labelOf, maxImageBytes, ofBytes, tokensOf } from "../../src/conversation/Image.ts"
import { openProfile } from "../../src/model/OpenProfile.ts"
import { type Profile, takesImages } from "../../src/model/Profile.ts"
import { mostTokensOf } from "../../src/agent/RequestAccount.ts"
import { redactEvent } from "../../src/runtime/redactEvent.ts"
import { TaskStarted } from "../../src/runtime/RuntimeEvent.ts"
import { Redactor } from "../../src/redaction/Redactor.ts"
import { trusted } from "../../src/tool/ToolEvent.ts"
import * as Claude from "./AnthropicFake.ts"
import { type Handler, serve, stream } from "./Loopback.ts"
import * as Gpt from "./OpenAiFake.ts"
import { at, conversation, parts } from "./support.ts"
import { pictures, png } from "../support/pictures.ts"

const data = Buffer.from(png(640, 480)).toString("base64")
const image: Image = { name: "shot.png", mediaType: "image/png", width: 640, height: 480, data }
const request = {
  messages: conversation({ role: "user", content: `What is on ${labelOf(image)}?`, images: [image] }),
  functions: []
}
const text = { text: "What is on [Image shot.png 640×480]?" }

const wire: ReadonlyArray<{
  readonly profile: Profile
  readonly handler: Handler
  readonly sent: ReadonlyArray<unknown>
  readonly path: ReadonlyArray<string | number>
}> = [
  {
    profile: { provider: "chat-completions", model: "gpt-4o", baseUrl: "" },
    handler: stream(
      { model: "m", choices: [{ index: 0, delta: { content: "a cat" }, finish_reason: "stop" }] },
      "[DONE]"
    ),
    path: ["messages", 0, "content"],
    sent: [
      { type: "text", ...text },
      { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } }
    ]
  },
  {
    profile: { provider: "openai", model: "gpt-5" },
    handler: Gpt.responses(Gpt.created, ...Gpt.text("a cat"), Gpt.completed),
    path: ["input", 0, "content"],
    sent: [
      { type: "input_text", ...text },
      { type: "input_image", image_url: `data:image/png;base64,${data}`, detail: "auto" }
    ]
  },
  {
    profile: { provider: "anthropic", model: "claude-sonnet-4-5" },
    handler: Claude.messages(Claude.start, ...Claude.text("a cat"), ...Claude.stop()),
    path: ["messages", 0, "content"],
    sent: [
      { type: "text", ...text },
      { type: "image", source: { type: "base64", media_type: "image/png", data } }
    ]
  }
]

/** What a profile sends of the request. */
const bodyOf = ({ handler, profile }: (typeof wire)[number], more: object = {}) =>
  Effect.gen(function* () {
    const server = yield* serve(handler)
    const own = { ...profile, baseUrl: server.url, ...more } as Profile
    const model = yield* openProfile("p", own, () => Option.some(Redacted.make("key")))
    yield* parts(model, request)
    return server.seen[0]?.body
  }).pipe(Effect.provide(Layer.merge(NodeHttpClient.layerUndici, NodeFileSystem.layer)))

/** Without what a provider adds of its own. */
const bare = (part: unknown) =>
  Object.fromEntries(
    Object.entries(part as object).filter(([name, value]) => name !== "cache_control" || value !== null)
  )

describe("an image in a prompt", () => {
  it.scopedLive.each(wire)(
    "is sent as $profile.provider wants it, and its name alone to a model that cannot see (U12)",
    (one) =>
      Effect.gen(function* () {
        const sent = at(yield* bodyOf(one), ...one.path) as ReadonlyArray<unknown>
        assert.deepStrictEqual(sent.map(bare), one.sent)
        const blind = yield* bodyOf(one, { images: false })
        assert.notInclude(JSON.stringify(blind), data)
        assert.include(JSON.stringify(blind), "[Image shot.png 640×480]")
      })
  )

  it.effect("is what its bytes say, with its size, whatever its name says (U12)", () =>
    Effect.gen(function* () {
      for (const [mediaType, bytes] of Object.entries(pictures(640, 480))) {
        const { data: _, ...about } = yield* ofBytes("a.txt", bytes)
        assert.deepStrictEqual(about, {
          name: "a.txt",
          mediaType: mediaType as Image["mediaType"],
          width: 640,
          height: 480
        })
      }
      const text = yield* Effect.flip(ofBytes("shot.png", Buffer.from("<svg/>")))
      assert.strictEqual(text.message, "shot.png cannot be attached: it is not a PNG, JPEG, GIF or WebP image.")
      const big = yield* Effect.flip(ofBytes("big.png", new Uint8Array(maxImageBytes + 1)))
      assert.include(big.message, "larger than 3 MiB")
      assert.isFalse(isImage({ ...image, data: Buffer.from("sk-secret-0123456789abcdef").toString("base64") }))
    })
  )

  it.effect.prop(
    "never fails but by its own error, whatever the bytes are (U12)",
    [FastCheck.uint8Array({ maxLength: 64 })],
    ([tail]) =>
      Effect.gen(function* () {
        for (const bytes of Object.values(pictures(1, 1))) {
          const cut = Buffer.concat([Buffer.from(bytes).subarray(0, 12), tail])
          const read = yield* Effect.either(ofBytes("x", cut))
          if (read._tag === "Right") assert.isTrue(isImage(read.right))
        }
      })
  )

  it.effect("counts as its pixels, not as its bytes, and is stored as it is (U12, S5)", () =>
    Effect.gen(function* () {
      assert.strictEqual(tokensOf(image), 410)
      assert.isBelow(mostTokensOf(request), 500)
      const redactor = yield* Redactor
      const event = new TaskStarted({ message: request.messages[0]! }, trusted)
      const [stored] = [redactEvent(event, redactor).message?.message]
      assert.deepStrictEqual(stored?.role === "user" ? stored.images : undefined, [image])
    })
  )

  it("is for models whose name is known to see, and those whose profile says so (U12)", () => {
    const of = (model: string, more: object = {}) =>
      takesImages({ provider: "chat-completions", baseUrl: "http://x", model, ...more })
    for (const model of [
      "gpt-4o-mini",
      "gpt-5",
      "openai/gpt-4.1",
      "claude-sonnet-4-5",
      "anthropic/claude-3-haiku",
      "gemini-2.5-pro",
      "qwen2.5-vl:7b",
      "llava",
      "gemma3:12b"
    ]) {
      assert.isTrue(of(model), model)
    }
    for (const model of ["gpt-3.5-turbo", "qwen3", "deepseek-chat", "mistral-7b", "llama3", "my-gpt-4o"]) {
      assert.isFalse(of(model), model)
    }
    assert.isTrue(of("qwen3", { images: true }))
    assert.isFalse(of("gpt-5", { images: false }))
  })
})
