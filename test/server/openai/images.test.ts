import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { Image } from "../../../src/conversation/Image.ts"
import { noUsage } from "../../../src/model/ModelPart.ts"
import { Models } from "../../../src/model/Models.ts"
import { pictures } from "../../support/pictures.ts"
import { served } from "../served.ts"

const bytes = (kind: string): Buffer => Buffer.from(pictures(3, 2)[kind] ?? [])
const dataUrl = (data: Buffer, type = "image/png") => `data:${type};base64,${data.toString("base64")}`

describe("images of an OpenAI client", () => {
  it.scopedLive("reach the model by their bytes on both routes, and are never fetched (A1)", () =>
    Effect.gen(function* () {
      const shown: Array<ReadonlyArray<Image>> = []
      const seeing = {
        name: "seeing",
        images: true,
        stream: ({ messages }: { readonly messages: ReadonlyArray<{ readonly message: object }> }) => {
          const message = messages.at(-1)?.message
          shown.push(message !== undefined && "images" in message ? (message.images as ReadonlyArray<Image>) : [])
          return Stream.make(
            { _tag: "TextDelta", text: "seen" } as const,
            { _tag: "Finished", usage: noUsage, reason: "stop" } as const
          )
        }
      }
      const { ask } = yield* served({ models: Models.layerOf({ seeing }) })
      const chat = (url: string, count = 1) => {
        const parts = Array.from({ length: count }, () => ({ type: "image_url", image_url: { url } }))
        const messages = [{ role: "user", content: [{ type: "text", text: "What is it?" }, ...parts] }]
        return ask("/v1/chat/completions", { body: { model: "seeing", messages } })
      }
      const gif = bytes("image/gif")
      const answered = yield* chat(dataUrl(gif))
      assert.strictEqual(answered.status, 200, answered.text)
      assert.strictEqual(answered.json.choices[0].message.content, "seen")
      const part = { type: "input_image", image_url: dataUrl(bytes("image/jpeg")) }
      const response = yield* ask("/v1/responses", {
        body: { model: "seeing", input: [{ role: "user", content: [part] }] }
      })
      assert.strictEqual(response.status, 200, response.text)
      assert.deepStrictEqual(
        shown.map((images) => images.map(({ data, height, mediaType, width }) => [mediaType, width, height, data])),
        [[["image/gif", 3, 2, gif.toString("base64")]], [["image/jpeg", 3, 2, bytes("image/jpeg").toString("base64")]]]
      )
      const refusals: ReadonlyArray<readonly [string, number, string]> = [
        ["https://pictures.example/a.png", 1, "unsupported_content"],
        ["file:///etc/passwd", 1, "unsupported_content"],
        ["data:image/png,text", 1, "unsupported_content"],
        ["data:image/png;base64,???", 1, "invalid_image"],
        [dataUrl(Buffer.from("no image at all")), 1, "invalid_image"],
        [dataUrl(Buffer.alloc(3 * 1024 * 1024 + 3)), 1, "invalid_image"],
        [dataUrl(gif), 9, "invalid_image"]
      ]
      for (const [url, count, code] of refusals) {
        const refused = yield* chat(url, count)
        assert.strictEqual(refused.status, 400, url.slice(0, 60))
        assert.strictEqual(refused.json.error.code, code, url.slice(0, 60))
      }
      assert.strictEqual(shown.length, 2)
    })
  )
})
