import type { ContentBlock } from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { type Image, labelOf, maxImages, ofBytes } from "../conversation/Image.ts"
import { included } from "../runtime/Projection.ts"
import { visibleLine } from "../text/visible.ts"
import { type EditorRequestRefused, invalid } from "./Refused.ts"

/** A prompt as the runtime takes it. */
export interface Prompt {
  /** What is said, with the names of what is attached; a slash command is read from it alone. */
  readonly said: string
  /** The texts of files that the editor includes, which follow it. */
  readonly context: string
  /** What of it the person has typed. */
  readonly typed: string
  readonly images: ReadonlyArray<Image>
}

interface Part {
  readonly text: string
  /** What the editor includes of a file, which follows all that is said. */
  readonly context?: string
  readonly typed?: string
  readonly image?: Image
}

/** Characters of one prompt. */
const maxPrompt = 4 * 1024 * 1024

/** A file as prompts name it: below the directory by its relative path. */
const mention = (uri: string, directory: string): string => {
  const file = Either.getOrElse(
    Either.try(() => fileURLToPath(uri)),
    () => ""
  )
  if (file === "") return visibleLine(uri)
  const below = path.relative(directory, file)
  const name = visibleLine(below === "" || below.startsWith("..") ? file : below)
  return /\s/.test(name) ? `@"${name}"` : `@${name}`
}

/** A text of a file as data: nothing in it ends the element around it, or begins another one. */
const contextOf = (name: string, text: string): string =>
  `${included}"${name.replaceAll('"', "'").replaceAll("<", "&lt;")}">\n${text.replaceAll(/<(?=[\s/]*context\b)/gi, "&lt;")}\n</context>`

const partOf = (block: ContentBlock, index: number, directory: string): Effect.Effect<Part, EditorRequestRefused> => {
  switch (block.type) {
    case "text":
      return Effect.succeed({ text: block.text, typed: block.text })
    case "resource_link":
      return Effect.succeed({ text: mention(block.uri, directory) })
    case "resource": {
      const { resource } = block
      if (!("text" in resource)) {
        return invalid(`prompt[${index}]: ${resource.uri} is not text. Attach text or an image, or link the file.`)
      }
      const name = mention(resource.uri, directory)
      return Effect.succeed({ text: name, context: contextOf(name, resource.text) })
    }
    case "image":
      return Either.match(Encoding.decodeBase64(block.data), {
        onLeft: () => invalid(`prompt[${index}]: the data of the image is not base64.`),
        onRight: (bytes) =>
          Effect.mapBoth(ofBytes(path.basename(block.uri ?? "") || `image-${index + 1}`, bytes), {
            onFailure: ({ message }) => invalid(`prompt[${index}]: ${message}`),
            onSuccess: (image) => ({ text: labelOf(image), image })
          })
      })
    default:
      return invalid(`prompt[${index}]: content of the type ${JSON.stringify(block.type)} is not taken.`)
  }
}

/** Whether a name would run into what stands beside it. */
const touches = (before: Part, after: Part): boolean =>
  (before.typed === undefined || after.typed === undefined) &&
  !(before.typed === undefined ? /\s$/u : /[\s([{<"'`]$/u).test(before.text) &&
  !(after.typed === undefined ? /^\s/u : /^[\s.,;:!?)\]}>"'`]/u).test(after.text)

/** The parts in a row, with a space before and behind the name of a file or an image. */
const joined = (parts: ReadonlyArray<Part>): string => {
  const shown = parts.filter(({ text }) => text !== "")
  return shown
    .map((part, index) => {
      const before = shown[index - 1]
      return before !== undefined && touches(before, part) ? ` ${part.text}` : part.text
    })
    .join("")
    .trim()
}

/** What the blocks of a prompt say and show together. */
export const promptOf = (
  blocks: ReadonlyArray<ContentBlock>,
  directory: string
): Effect.Effect<Prompt, EditorRequestRefused> =>
  Effect.gen(function* () {
    const parts = yield* Effect.forEach(blocks, (block, index) => partOf(block, index, directory))
    const said = joined(parts)
    const context = parts.map((part) => part.context ?? "").join("")
    const images = parts.flatMap(({ image }) => (image === undefined ? [] : [image]))
    if (said === "") return yield* invalid("The prompt is empty.")
    if (said.length + context.length > maxPrompt) return yield* invalid(`A prompt has ${maxPrompt} characters at most.`)
    if (images.length > maxImages) return yield* invalid(`A prompt has ${maxImages} images at most.`)
    return { said, context, typed: parts.map(({ typed = "" }) => typed).join(""), images }
  })
