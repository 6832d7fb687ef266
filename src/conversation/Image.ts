import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"

/** Bytes of one image, and how many a prompt may have: what every provider takes. */
export const maxImageBytes = 3 * 1024 * 1024
export const maxImages = 8

/** The first bytes of a file that say what it is, whatever its name says. */
const magic = {
  "image/png": (bytes: Uint8Array) => isAt(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  "image/jpeg": (bytes: Uint8Array) => isAt(bytes, 0, [0xff, 0xd8, 0xff]),
  "image/gif": (bytes: Uint8Array) => isAt(bytes, 0, [0x47, 0x49, 0x46, 0x38]),
  "image/webp": (bytes: Uint8Array) =>
    isAt(bytes, 0, [0x52, 0x49, 0x46, 0x46]) && isAt(bytes, 8, [0x57, 0x45, 0x42, 0x50])
} as const

const isAt = (bytes: Uint8Array, at: number, wanted: ReadonlyArray<number>): boolean =>
  wanted.every((byte, index) => bytes[at + index] === byte)

const MediaType = Schema.Literal("image/png", "image/jpeg", "image/gif", "image/webp")
type MediaType = typeof MediaType.Type

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
/** Characters of base64 that hold the first bytes. */
const head = 32

/** The smallest image there is. */
const pixel = {
  mediaType: "image/gif",
  width: 1,
  height: 1,
  data: "R0lGODlhAQABAAAAACH5BAAAAAAALAAAAAABAAEAAAIA"
} as const

/** An image that a person shows to a model: a file of one of four kinds, whose bytes say so. */
export const Image = Schema.Struct({
  /** The name of its file, without a directory. */
  name: Schema.String.pipe(Schema.maxLength(200)),
  mediaType: MediaType,
  width: Schema.Int.pipe(Schema.positive()),
  height: Schema.Int.pipe(Schema.positive()),
  /** Its bytes in base64. */
  data: Schema.String.pipe(Schema.maxLength(Math.ceil((maxImageBytes * 4) / 3) + 4), Schema.pattern(base64))
}).pipe(
  Schema.filter(({ data, mediaType }) => magic[mediaType](Buffer.from(data.slice(0, head), "base64")), {
    message: () => "the data is no image of this type"
  }),
  Schema.annotations({
    identifier: "Image",
    // Hardly any text is one by chance.
    arbitrary: () => (fc) => fc.record({ name: fc.string({ maxLength: 200 }) }).map(({ name }) => ({ ...pixel, name }))
  })
)
export type Image = typeof Image.Type

export const isImage = Schema.is(Image)

/** A file cannot be shown to a model. */
export class ImageRefused extends Schema.TaggedError<ImageRefused>()("ImageRefused", {
  name: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.name} cannot be attached: ${this.reason}`
  }
}

const big = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
const little = (bytes: Uint8Array, at: number): number => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)

interface Size {
  readonly width: number
  readonly height: number
}

/** A JPEG says its size in the first of its frames. */
const jpegSize = (bytes: Uint8Array): Size | undefined => {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; at += 2 + big(bytes, at + 2)) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: big(bytes, at + 5), width: big(bytes, at + 7) }
  }
  return undefined
}

const webpSize = (bytes: Uint8Array): Size | undefined => {
  const three = (at: number) => little(bytes, at) | ((bytes[at + 2] ?? 0) << 16)
  switch (String.fromCharCode(...bytes.slice(12, 16))) {
    case "VP8X":
      return { width: three(24) + 1, height: three(27) + 1 }
    case "VP8L": {
      const [low, high] = [little(bytes, 21), little(bytes, 23)]
      return { width: (low & 0x3fff) + 1, height: ((low >> 14) | ((high & 0xfff) << 2)) + 1 }
    }
    case "VP8 ":
      return { width: little(bytes, 26) & 0x3fff, height: little(bytes, 28) & 0x3fff }
    default:
      return undefined
  }
}

const sizeOf = (type: MediaType, bytes: Uint8Array): Size | undefined => {
  switch (type) {
    case "image/png":
      return { width: big(bytes, 18), height: big(bytes, 22) }
    case "image/gif":
      return { width: little(bytes, 6), height: little(bytes, 8) }
    case "image/jpeg":
      return jpegSize(bytes)
    case "image/webp":
      return webpSize(bytes)
  }
}

/** The image that a file is, by its bytes. */
export const ofBytes = (name: string, bytes: Uint8Array): Effect.Effect<Image, ImageRefused> => {
  const refused = (reason: string) => new ImageRefused({ name, reason })
  if (bytes.length > maxImageBytes) {
    return refused(`it is larger than ${maxImageBytes / 1024 / 1024} MiB. Make it smaller.`)
  }
  const mediaType = MediaType.literals.find((type) => magic[type](bytes))
  if (mediaType === undefined) return refused("it is not a PNG, JPEG, GIF or WebP image.")
  const size = sizeOf(mediaType, bytes)
  return size === undefined || size.width === 0 || size.height === 0
    ? refused("it is damaged: it does not say its size.")
    : Effect.succeed({ name: name.slice(0, 200), mediaType, ...size, data: Encoding.encodeBase64(bytes) })
}

/** What stands for an image in a text. */
export const labelOf = ({ height, name, width }: Image): string => `[Image ${name} ${width}×${height}]`

/** About what providers count for an image, in tokens: they scale it down to about 1.15 megapixels. */
export const tokensOf = ({ height, width }: Image): number => Math.min(1600, Math.ceil((width * height) / 750))
