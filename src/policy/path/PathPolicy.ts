import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { allow, ask, deny, strictest, type Verdict } from "../Verdict.ts"
import { globBase } from "./GlobBase.ts"
import { linkVerdict } from "./HardLink.ts"
import { rootFault, type PathContext } from "./PathContext.ts"
import { access, type PathOp } from "./PathOp.ts"
import { PathRefused } from "./PathRefused.ts"
import { isWithin, normalise, parse } from "./PathText.ts"
import { resolve, type Kind, type PhysicalPath } from "./PhysicalPath.ts"
import { protectedVerdict } from "./Protected.ts"
import { askEachTime } from "./ProtectedPlaces.ts"

const Judged: unique symbol = Symbol("tollgate/policy/path/JudgedPath")

/** A path that the policy has judged for one operation; only `judge` makes one, and file operations take no other. */
export interface JudgedPath<Op extends PathOp = PathOp> {
  readonly [Judged]: true
  readonly op: Op
  /** As it was asked for. */
  readonly requested: string
  /** Absolute, every symlink resolved. For `glob`, the deepest directory that holds all matches. */
  readonly path: string
  readonly kind: Kind
  readonly exists: boolean
  /** `allow`, or `ask` if the caller has a decision. */
  readonly verdict: Verdict
  readonly context: PathContext
}

const boundary = (path: string, op: PathOp, context: PathContext): Verdict => {
  const roots = context.roots.filter((root) => rootFault(root, context.home) === undefined)
  if (roots.length === 0) return deny("path/no-root", "file tools have no directory; configure a root")
  if (path === "/dev/null") return allow("path/null-device", "the null device keeps nothing")
  if (roots.some((root) => isWithin(path, root))) return allow("path/inside", "it is inside an allowed root")
  return access(op) === "see"
    ? ask("path/outside", "it is outside the allowed roots")
    : deny("path/outside", `it is outside the allowed roots; only files below ${roots.join(", ")} can be changed`)
}

const wantsFile = (op: PathOp): boolean => op === "read" || op === "write" || op === "remove"

const notFile = deny("path/not-a-file", "it is a directory, not a file")

const kept = allow("path/kept-result", "it is the whole of a result that was cut")

const judgePlace = (path: string, op: PathOp, context: PathContext): Verdict => {
  if (access(op) === "see" && context.readable?.some((directory) => isWithin(path, directory)) === true) return kept
  const first = boundary(path, op, context)
  if (first.rule === "path/null-device") return first
  if (access(op) === "change" && context.roots.includes(path)) return strictest(first, notFile)
  const second = protectedVerdict(path, access(op), context)
  return second === undefined ? first : strictest(first, second)
}

/**
 * Judges what a path says, without looking at the disk: safe on any text, and right only as far as no symlink is
 * involved. For `glob` the text is the pattern.
 */
export const judgeLexical = (text: string, op: PathOp, context: PathContext): Verdict => {
  const base = op === "glob" ? globBase(text) : Either.right(text)
  if (Either.isLeft(base)) return base.left
  const parsed = parse(base.right, access(op), context)
  if (Either.isLeft(parsed)) return parsed.left
  if (parsed.right.directory && access(op) === "change") return notFile
  return judgePlace(parsed.right.absolute, op, context)
}

const kindVerdict = (op: PathOp, kind: Kind, directory: boolean): Verdict | undefined => {
  if (kind === "missing") return undefined
  if (kind === "fifo" || kind === "socket" || kind === "device") {
    return deny("path/not-regular", `it is a ${kind}; only regular files are opened`)
  }
  if (wantsFile(op)) return kind === "directory" ? notFile : directory ? notDirectory : undefined
  return op !== "grep" && kind !== "directory" ? notDirectory : undefined
}

const notDirectory = deny("path/not-a-directory", "it is a file, not a directory")

/** The judgement of one moment, lexical and physical, without Effect around it. */
export const judgeNow = <Op extends PathOp>(
  text: string,
  op: Op,
  context: PathContext
): Either.Either<JudgedPath<Op>, Verdict> => {
  const lexical = judgeLexical(text, op, context)
  if (lexical.decision === "deny") return Either.left(lexical)
  return Either.gen(function* () {
    const base = op === "glob" ? yield* globBase(text) : text
    const parsed = yield* parse(base, access(op), context)
    const physical: PhysicalPath = yield* resolve(parsed.raw, op !== "remove")
    yield* parse(physical.path, access(op), context)
    const place = strictest(lexical, judgePlace(physical.path, op, context))
    const link =
      access(op) === "see" && physical.stat !== undefined && linkVerdict(physical.path, physical.stat, context)
    const verdict = link ? strictest(place, link) : place
    if (verdict.decision === "deny") return yield* Either.left(verdict)
    const unfit = kindVerdict(op, physical.kind, parsed.directory)
    if (unfit !== undefined) return yield* Either.left(unfit)
    return {
      [Judged]: true as const,
      op,
      requested: text,
      path: physical.path,
      kind: physical.kind,
      exists: physical.kind !== "missing",
      verdict,
      context
    }
  })
}

/** Judges a path by what it says and by where it leads; fails where the verdict is `deny`. */
export const judge = <Op extends PathOp>(
  text: string,
  op: Op,
  context: PathContext
): Effect.Effect<JudgedPath<Op>, PathRefused> =>
  Effect.suspend(() =>
    Either.mapLeft(judgeNow(text, op, context), (verdict) => new PathRefused({ operation: op, path: text, verdict }))
  )

/** What protects a place from being changed, by its name and by where it leads, whether it lies inside of a root or not. */
export const protectedChange = (place: string, context: PathContext): Verdict | undefined => {
  const names = [normalise(place), ...Either.match(resolve(place), { onLeft: () => [], onRight: ({ path }) => [path] })]
  return names
    .flatMap((name) => protectedVerdict(name, "change", context) ?? [])
    .reduce<Verdict | undefined>((worst, one) => (worst === undefined ? one : strictest(worst, one)), undefined)
}

/** Whether consent to this verdict may be kept for later calls; what holds secrets or runs later is asked each time. */
export const isRememberable = (verdict: Verdict): boolean => !askEachTime.has(verdict.rule)
