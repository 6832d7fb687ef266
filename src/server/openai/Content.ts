import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import { type Image, labelOf, maxImageBytes, maxImages, ofBytes } from "../../conversation/Image.ts"
import { InvalidRequest } from "./OpenAiError.ts"

/** A piece of a message; only text and images are taken. */
const Part = Schema.Struct({
  type: Schema.String,
  text: Schema.optional(Schema.String),
  refusal: Schema.optional(Schema.NullOr(Schema.String)),
  /** As Chat Completions have it, or Responses. */
  image_url: Schema.optional(Schema.NullOr(Schema.Union(Schema.String, Schema.Struct({ url: Schema.String }))))
})
type Part = typeof Part.Type

/** What a message says: a text, or pieces. */
export const Content = Schema.NullOr(Schema.Union(Schema.String, Schema.Array(Part)))
export type Content = typeof Content.Type

/** A message as its model gets it; the text names each image. */
export interface Shown {
  readonly text: string
  readonly images: ReadonlyArray<Image>
}

const refused = (message: string, code: string, param: string) => new InvalidRequest({ message, code, param })

const dataUrl = /^data:[^,]{0,100};base64,/i
const maxCharacters = Math.ceil(maxImageBytes / 3) * 4

/** The image that a data URL holds, whatever type it says; nothing is fetched. */
const imageOf = (url: string, name: string, param: string): Effect.Effect<Image, InvalidRequest> => {
  const [head] = dataUrl.exec(url.slice(0, 200)) ?? []
  if (head === undefined) {
    return refused(
      "Images are not fetched from elsewhere: send the image itself, as a URL data:image/…;base64,…",
      "unsupported_content",
      param
    )
  }
  if (url.length - head.length > maxCharacters) {
    return refused(`An image has ${maxImageBytes / 1024 / 1024} MiB at most. Make it smaller.`, "invalid_image", param)
  }
  return Either.match(Encoding.decodeBase64(url.slice(head.length)), {
    onLeft: () => refused("The data of the image is not base64.", "invalid_image", param),
    onRight: (bytes) => Effect.mapError(ofBytes(name, bytes), ({ message }) => refused(message, "invalid_image", param))
  })
}

const textIn = ({ refusal, text, type }: Part, param: string, taken: string): Effect.Effect<string, InvalidRequest> => {
  const said = text ?? refusal
  return said === undefined || said === null
    ? refused(
        `Parts of the type ${JSON.stringify(type.slice(0, 40))} are not taken: send ${taken}.`,
        "unsupported_content",
        param
      )
    : Effect.succeed(said)
}

/** The text of a message that is not the user's; whatever else it has is refused. */
export const textOf = (content: Content | undefined, param: string): Effect.Effect<string, InvalidRequest> => {
  if (content === null || content === undefined) return Effect.succeed("")
  if (typeof content === "string") return Effect.succeed(content)
  return Effect.map(
    Effect.forEach(content, (part, index) => textIn(part, `${param}[${index}]`, "text")),
    (texts) => texts.join("\n")
  )
}

/** What a message of the user says and shows; sounds, files and what is elsewhere are refused. */
export const shownOf = (content: Content | undefined, param: string): Effect.Effect<Shown, InvalidRequest> => {
  if (content === null || content === undefined) return Effect.succeed({ text: "", images: [] })
  if (typeof content === "string") return Effect.succeed({ text: content, images: [] })
  return Effect.map(
    Effect.forEach(content, (part, index): Effect.Effect<Shown, InvalidRequest> => {
      const at = `${param}[${index}]`
      const { image_url: given } = part
      if (given === undefined || given === null) {
        return Effect.map(textIn(part, at, "text, or an image as a data URL"), (text) => ({ text, images: [] }))
      }
      const url = typeof given === "string" ? given : given.url
      return Effect.map(imageOf(url, `image-${index + 1}`, at), (image) => ({ text: labelOf(image), images: [image] }))
    }),
    (parts) => ({
      text: parts.map(({ text }) => text).join("\n"),
      images: parts.flatMap(({ images }) => images)
    })
  )
}

/** What the new messages show together. */
export const imagesOf = (
  messages: ReadonlyArray<Shown>,
  param: string
): Effect.Effect<ReadonlyArray<Image>, InvalidRequest> => {
  const images = messages.flatMap((message) => message.images)
  return images.length > maxImages
    ? refused(`A prompt has ${maxImages} images at most.`, "invalid_image", param)
    : Effect.succeed(images)
}
