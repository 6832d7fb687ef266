import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { constants } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import type { Settings } from "../config/Settings.ts"
import { type Image, ImageRefused, labelOf, maxImageBytes, maxImages, ofBytes } from "../conversation/Image.ts"
import { type Profile, takesImages } from "../model/Profile.ts"
import { errnoText } from "../system/errno.ts"
import { visibleLine } from "../text/visible.ts"

/** A text with the labels of its images in their places. */
export interface Attached {
  readonly text: string
  readonly images: ReadonlyArray<Image>
}

/** Where paths are from. */
export interface From {
  readonly directory: string
  readonly home: string
}

const code = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? "EIO"

/** Reads the file of an image, no more of it than may be attached. */
const readImage = (file: string, { directory, home }: From): Effect.Effect<Image, ImageRefused> => {
  const name = visibleLine(path.basename(file))
  const place = path.resolve(directory, file.replace(/^~(?=\/)/, home))
  const attempt = <A>(run: () => Promise<A>) =>
    Effect.tryPromise({
      try: run,
      catch: (cause) => new ImageRefused({ name, reason: `${errnoText(code(cause))}.` })
    })
  const bytes = Effect.acquireUseRelease(
    // A pipe that nobody writes to would be waited for.
    attempt(() => fs.open(place, constants.O_RDONLY | constants.O_NONBLOCK)),
    (opened) =>
      Effect.gen(function* () {
        const stat = yield* attempt(() => opened.stat())
        if (!stat.isFile()) return yield* new ImageRefused({ name, reason: "it is not a file." })
        const buffer = Buffer.alloc(Math.min(stat.size, maxImageBytes) + 1)
        const { bytesRead } = yield* attempt(() => opened.read(buffer, 0, buffer.length, 0))
        return buffer.subarray(0, bytesRead)
      }),
    (opened) => Effect.ignore(attempt(() => opened.close()))
  )
  return Effect.flatMap(bytes, (read) => ofBytes(name, read))
}

const ending = String.raw`\.(?:png|jpe?g|gif|webp)`
/** A word that names an image: behind an `@`, or a path as terminals paste the files that are dropped on them. */
const named = new RegExp(
  [
    String.raw`(?<=^|\s)@"(?<quotedAt>[^"\n]+${ending})"`,
    String.raw`(?<=^|\s)@(?<at>\S+${ending})(?=$|[\s,;:!?)])`,
    String.raw`(?<=^|\s)'(?<single>(?:/|~/)[^'\n]+${ending})'`,
    String.raw`(?<=^|\s)"(?<double>(?:/|~/)[^"\n]+${ending})"`,
    String.raw`(?<=^|\s)(?<url>file:///\S+${ending})(?=$|\s)`,
    String.raw`(?<=^|\s)(?<bare>~?/(?:\\.|[^\s\\])+${ending})(?=$|\s)`
  ].join("|"),
  "giu"
)

/** Whether a file has the name of an image. */
export const isImage = (file: string): boolean => new RegExp(`${ending}$`, "iu").test(file)

/** The profile that is to see images, beside the others. */
export interface Seeing {
  readonly profile: string
  readonly profiles: Readonly<Record<string, Profile>>
  /** Another one serves what is asked of it, as the routing says. */
  readonly isRouted: boolean
  /** How the person chooses another one. */
  readonly choose: (profile: string) => string
}

/** Whether another profile than the chosen one may serve a task. */
export const isRouted = ({ routing }: Pick<Settings, "routing">): boolean =>
  (routing?.hooks ?? []).length > 0 || Object.keys(routing?.weights ?? {}).length > 0

/** Whether images can be shown. */
const sees = ({ isRouted, profile, profiles }: Seeing): boolean => {
  const chosen = Object.hasOwn(profiles, profile) ? profiles[profile] : undefined
  return isRouted || (chosen !== undefined && takesImages(chosen))
}

/** Refuses an image that its model cannot see, before anything is sent. */
const seen = (name: string, seeing: Seeing): Effect.Effect<void, ImageRefused> => {
  if (sees(seeing)) return Effect.void
  const { choose, profile, profiles } = seeing
  const others = Object.keys(profiles).filter((other) => sees({ ...seeing, profile: other }))
  const mend =
    others.length > 0
      ? `Choose another: ${others.slice(0, 3).map(choose).join(", ")}.`
      : `If it does: tollgate config set profiles.${profile}.images true.`
  return new ImageRefused({ name, reason: `the model of the profile ${profile} takes no images. ${mend}` })
}

/** The path of a word, and whether it must be an image. */
const pathOf = ({ groups = {} }: RegExpExecArray): { readonly file: string; readonly meant: boolean } => {
  const { at, bare, double, quotedAt, single, url } = groups
  if (at !== undefined || quotedAt !== undefined) return { file: at ?? quotedAt ?? "", meant: true }
  if (url !== undefined) {
    const decoded = Either.try(() => fileURLToPath(url))
    return { file: Either.getOrElse(decoded, () => ""), meant: false }
  }
  return { file: single ?? double ?? (bare ?? "").replaceAll(/\\(.)/gu, "$1"), meant: false }
}

/**
 * A prompt with the images that it names, each in place of its path. A path without `@` that leads to no image stays a path, and so
 * do all of them where the model takes none, or where `@` alone counts.
 */
export const attached = (
  text: string,
  from: From,
  seeing: Seeing,
  byAt = false
): Effect.Effect<Attached, ImageRefused> =>
  Effect.gen(function* () {
    const pathsCount = !byAt && sees(seeing)
    const images: Array<Image> = []
    let told = ""
    let end = 0
    for (const found of text.matchAll(named)) {
      const { file, meant } = pathOf(found)
      if (!meant && !pathsCount) continue
      const read = yield* Effect.either(readImage(file, from))
      if (Either.isLeft(read)) {
        if (meant) return yield* read.left
        continue
      }
      if (images.length >= maxImages) {
        const reason = `a prompt has at most ${maxImages} images.`
        return yield* new ImageRefused({ name: read.right.name, reason })
      }
      yield* seen(read.right.name, seeing)
      images.push(read.right)
      told += text.slice(end, found.index) + labelOf(read.right)
      end = found.index + found[0].length
    }
    return { text: told + text.slice(end), images }
  })

/** A prompt with the images that it names behind an `@`, and with those of the files behind it. */
export const withImages = (
  prompt: string,
  files: ReadonlyArray<string>,
  from: From,
  seeing: Seeing
): Effect.Effect<Attached, ImageRefused> =>
  Effect.gen(function* () {
    const named = yield* attached(prompt, from, seeing, true)
    const behind = yield* Effect.forEach(files.slice(0, maxImages), (file) => readImage(file, from))
    const images = [...named.images, ...behind]
    if (named.images.length + files.length > maxImages) {
      const reason = `a prompt has at most ${maxImages} images.`
      return yield* new ImageRefused({ name: visibleLine(path.basename(files.at(-1) ?? "")), reason })
    }
    if (behind[0] !== undefined) yield* seen(behind[0].name, seeing)
    return { text: [named.text, ...behind.map(labelOf)].join("\n"), images }
  })
