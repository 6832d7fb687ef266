import * as Either from "effect/Either"
import { deny, type Verdict } from "../Verdict.ts"
import type { Access } from "./PathOp.ts"

/** What Linux takes in one path and in one name, in bytes; the number of levels is ours. */
const maxPath = 4096
const maxName = 255
const maxLevels = 256

/** A path that is fit to be looked at, and what it means before any symlink is followed. */
export interface PathText {
  /** Absolute, with its dot segments as written: what the kernel would be given. */
  readonly raw: string
  /** Absolute and normalised, without a trailing slash. */
  readonly absolute: string
  /** Ends in a way that only a directory can answer to. */
  readonly directory: boolean
}

interface Origin {
  readonly cwd: string
  readonly platform?: NodeJS.Platform
}

export const segments = (path: string): ReadonlyArray<string> =>
  path.split("/").filter((segment) => segment !== "" && segment !== ".")

/** Removes empty and dot segments of an absolute path; `..` at the top stays at the top. */
export const normalise = (path: string): string => {
  const names: Array<string> = []
  for (const segment of segments(path)) {
    if (segment === "..") names.pop()
    else names.push(segment)
  }
  return `/${names.join("/")}`
}

/** Whether a normalised path is the directory or lies below it, by whole names. */
export const isWithin = (path: string, directory: string): boolean =>
  path === directory || (directory === "/" ? path.startsWith("/") : path.startsWith(`${directory}/`))

const unprintable = /\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|[\u115f\u1160\u3164\uffa0]/u
const remote = /^(?:[A-Za-z]:[\\/]|\\\\|[A-Za-z][A-Za-z0-9+.-]*:\/\/|file:)/
const variable = /^(?:\$\{?[A-Z_][A-Z0-9_]*\}?|%[A-Za-z_]+%)$/
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(?:\.|:|$)/i

const windowsFault = (name: string): boolean => device.test(name.trim()) || /[<>:"|?*]|[. ]$/.test(name)

const fault = (text: string, access: Access, origin: Origin): Verdict | undefined => {
  if (text.trim() === "") return deny("path/empty", "the path is empty; name a file")
  if (unprintable.test(text)) {
    return deny("path/unprintable", "the path has control or invisible characters; use a readable name")
  }
  const first = text.split("/", 1)[0] ?? ""
  if (first.startsWith("~")) {
    return deny("path/tilde", "`~` is not expanded here; write the full path, or ./~name for a file of that name")
  }
  if (variable.test(first)) {
    return deny("path/variable", `variables are not expanded here; write the value of ${first}`)
  }
  if (remote.test(text)) {
    return deny("path/foreign", "drive paths, network shares and URLs are not file paths; use a path below the root")
  }
  if (text.includes("\\") && (access === "change" || origin.platform === "win32")) {
    return deny("path/backslash", "the path has a backslash; separate directories with `/`")
  }
  if (origin.platform === "win32" && segments(text).some((name) => name !== ".." && windowsFault(name))) {
    return deny("path/device-name", "a name in the path is reserved on Windows; choose another one")
  }
  return undefined
}

/** Parses a path as written, or rejects it with a reason. Never touches the disk, never decodes anything. */
export const parse = (text: string, access: Access, origin: Origin): Either.Either<PathText, Verdict> => {
  if (text.length > maxPath) return Either.left(deny("path/too-long", `the path is longer than ${maxPath} bytes`))
  const found = fault(text, access, origin)
  if (found !== undefined) return Either.left(found)
  const raw = text.startsWith("/") ? text : `${origin.cwd}/${text}`
  const absolute = normalise(raw)
  const names = segments(raw)
  if (names.length > maxLevels || Buffer.byteLength(raw) >= maxPath) {
    return Either.left(deny("path/too-long", `the path is longer than ${maxPath} bytes or ${maxLevels} levels`))
  }
  if (names.some((name) => Buffer.byteLength(name) > maxName)) {
    return Either.left(deny("path/too-long", `a name in the path is longer than ${maxName} bytes`))
  }
  return Either.right({ raw, absolute, directory: /(?:^|\/)\.{0,2}$/.test(text) })
}

/** A physical path as its directory and the name in it. */
export const split = (path: string): { readonly directory: string; readonly name: string } => {
  const cut = path.lastIndexOf("/")
  return { directory: path.slice(0, cut) || "/", name: path.slice(cut + 1) }
}
