import * as Context from "effect/Context"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { canonicalHost } from "../policy/network/HostPattern.ts"
import { isWithin } from "../policy/path/PathText.ts"
import { resolve as physical } from "../policy/path/PhysicalPath.ts"
import { severity, type Severity } from "../policy/shell/Severity.ts"
import { shapeOf, type Shape } from "../policy/shell/Shape.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { descended } from "./Descent.ts"
import { definition, sha256 } from "./Digest.ts"
import * as Url from "../text/Url.ts"

export interface Host {
  readonly name: string
  readonly port: number
}

/** What a call is about, in the terms of rules and grants. */
export interface Subject {
  /** What a shell text says; absent where the call is about none. */
  readonly shape: Shape | undefined
  /** Where a command runs; absolute. */
  readonly directory: string
  /** It runs where commands run, and has no other parameters that change what it does. */
  readonly isHere: boolean
  /** Absolute. */
  readonly paths: ReadonlyArray<string> | undefined
  readonly hosts: ReadonlyArray<Host> | undefined
  /** What a command or a patch reaches besides. Only a rule that forbids or asks looks at it. */
  readonly touched: () => Touched | "unread"
  /** How bad a shell text is; absent where the call is about none. */
  readonly severity: () => Severity | undefined
  /** All names of a path that the call comes upon, which its parameters or the directory of calls may name by a link. */
  readonly namesOf: (path: string) => ReadonlyArray<string>
  /** Nothing else in the call says what it does than its paths or its hosts. */
  readonly bare: boolean
  /** What a grant covers: the same key is the same thing. */
  readonly key: string
  /** The key in words, for whoever grants it. */
  readonly words: string
}

/** Absolute paths, as far as words tell. */
export interface Touched {
  /** Words, or parts of one, that are paths. */
  readonly named: ReadonlyArray<string>
  /** What could be a path inside of a word that is more, e.g. a program or a message. */
  readonly mentioned: ReadonlyArray<string>
  /** Directories of which everything is read, at whatever depth. */
  readonly descended: ReadonlyArray<string>
}

export type Described = Pick<ToolCall, "name" | "tool" | "params" | "rawParams">

/** Says what calls are about. */
export interface Describing {
  readonly of: (call: Described) => Subject
}

/** How calls are understood, relative paths from a root; by the files of this machine where nothing else is provided. */
export class Subjects extends Context.Reference<Subjects>()("tollgate/approval/Subjects", {
  defaultValue: (): { readonly at: (root: string, home: string) => Describing } => ({
    at: (root, home) => subjectsAt(root, home)
  })
}) {
  /** By the files of this machine; `ignoredBelow` says which directories below a root git ignores. */
  static readonly layerLocal = (ignoredBelow: (root: string) => IsIgnored): Layer.Layer<Subjects> =>
    Layer.succeed(Subjects, { at: (root, home) => subjectsAt(root, home, ignoredBelow(root)) })

  static readonly layer = (options: Omit<SubjectOptions, "cwd" | "home">): Layer.Layer<Subjects> =>
    Layer.succeed(Subjects, { at: (cwd, home) => byName({ ...options, cwd, home }) })
}

/** Calls in the files of this machine; a path that leads nowhere is what it says. */
export const subjectsAt = (root: string, home: string, isIgnored?: IsIgnored): Describing =>
  byName({
    cwd: root,
    home,
    ...(isIgnored && { isIgnored }),
    resolve: (path) => Either.match(physical(path), { onLeft: () => path, onRight: (found) => found.path }),
    isFile: (path) => Either.match(physical(path), { onLeft: () => false, onRight: ({ kind }) => kind === "file" })
  })

type IsIgnored = (path: string) => boolean

export interface SubjectOptions {
  /** Where relative paths start. */
  readonly cwd: string
  /** Where a path leads, links resolved; lexically where absent. */
  readonly resolve?: (path: string) => string
  /** Whether a path is known to lead to a file, which has nothing below it. */
  readonly isFile?: (path: string) => boolean
  /** What `~` stands for; the root where absent. */
  readonly home?: string
  /** Whether git ignores an absolute path, so that deleting what lies there is not destructive. */
  readonly isIgnored?: IsIgnored
}

/** What makes two calls the same to a person: who makes them, how they are blanked and what is said about them does not. */
export const likeness = ({ name, rawParams, tool }: Described, subject: Subject): string =>
  subject.shape === undefined ? sha256([name, definition(tool), rawParams]) : subject.key

const maxKnown = 512

/** What a person wrote or read about a call, but not what it does. */
const beside = new Set(["description", "timeout", "timeoutSeconds"])
const pathNames = ["path", "paths", "file", "directory", "from", "to"]

type Named = readonly [name: string, value: unknown]

/** What a tool does to a file is the tool; a switch can make something else of it, as `recursive` does. */
const isSwitch = ([, value]: Named): boolean => value === true
/** Which part of a page is looked at is all one. */
const isNoCount = ([, value]: Named): boolean => typeof value !== "number"

const strings = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" ? [value] : Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

/** Characters of a parameter that may be a path. */
const maxPath = 4096

/** The texts in the parameters of a call, at whatever depth. */
const texts = (value: unknown, depth = 0): ReadonlyArray<string> =>
  typeof value === "string"
    ? value !== "" && value.length <= maxPath && !value.includes("\n")
      ? [value]
      : []
    : typeof value === "object" && value !== null && depth < 8
      ? Object.values(value).flatMap((item) => texts(item, depth + 1))
      : []

const hostOf = (text: string): Host | undefined => {
  const url = Url.parsed(text)
  if (url === undefined) return undefined
  const { hostname, port, protocol } = url
  const name = canonicalHost(hostname)
  return name === undefined ? undefined : { name, port: port === "" ? (protocol === "http:" ? 80 : 443) : Number(port) }
}

/** Where in a word a path may begin: after what introduces it, and after the letters of options that it is attached to. */
const parts = (word: string): ReadonlyArray<string> => {
  const [letters = ""] = /^-[A-Za-z]{1,16}/.exec(word) ?? []
  return [
    word,
    ...word.split(/[=:,@]/).slice(1),
    ...Array.from({ length: Math.max(0, letters.length - 1) }, (_, index) => word.slice(index + 2))
  ].filter((part) => part !== "")
}

const mentions = (word: string): ReadonlyArray<string> =>
  /[\s"'`();|<>{}]/.test(word) ? word.split(/[^\p{L}\p{N}_./~+@%-]+/u).filter((part) => part !== "") : []

/** A command that goes elsewhere is not followed. */
const touchedBy = (
  { commands, complete, redirects }: Shape,
  resolve: (word: string) => ReadonlyArray<string>,
  isFile: (path: string) => boolean
): Touched | "unread" => {
  if (!complete || commands.some(([name]) => name === "cd" || name === "pushd")) return "unread"
  const words = [...commands.flat(), ...redirects]
  return {
    named: words.flatMap(parts).flatMap(resolve),
    mentioned: words.flatMap(mentions).flatMap(resolve),
    descended: commands
      .flatMap(descended)
      .flatMap(resolve)
      .filter((place) => !isFile(place))
  }
}

const patchLine =
  /^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |(?:---|\+\+\+) (?:[ab]\/)?|rename (?:from|to) )(.+)$/gm

const pathsOfPatch = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(patchLine)].map(([, name = ""]) => name.split("\t")[0]?.trim() ?? "")

/** Understands calls by the names of their parameters: `command`, `path` and its like, `url`. */
export const byName = (options: SubjectOptions): Describing => {
  const known = new Map<string, Shape>()
  const read = (text: string): Shape => {
    const found = known.get(text)
    if (found !== undefined) return found
    const shape = shapeOf(text)
    if (known.size >= maxKnown) known.clear()
    known.set(text, shape)
    return shape
  }
  const { cwd: root } = options
  const follow = options.resolve ?? ((path: string) => path)
  const absolute = (text: string) => path.posix.resolve(root, text)
  const realRoot = follow(root)
  /** A place in the root by the name that the root was given, where a path comes in by another. */
  const asRooted = (place: string): string =>
    realRoot !== root && isWithin(place, realRoot) ? `${root}${place.slice(realRoot.length)}` : place
  /** What it says and where it leads: a rule that forbids either forbids the call, one that allows has to fit both. */
  const placesFrom =
    (start: string) =>
    (text: string): ReadonlyArray<string> => {
      const said = path.posix.resolve(start, text)
      // Only the letter of a path takes `link/..` for nothing.
      const followed = text.startsWith("/") ? text : `${start}/${text}`
      return [...new Set([said, follow(said), follow(followed)].map(asRooted))]
    }
  const { home = "/", isIgnored } = options
  const placesOf = placesFrom(root)
  const here = placesOf(".")

  return {
    of: (call) => {
      const { name, rawParams, tool } = call
      const params: Readonly<Record<string, unknown>> =
        typeof rawParams === "object" && rawParams !== null ? (rawParams as Record<string, unknown>) : {}
      const command = typeof params["command"] === "string" ? params["command"] : undefined
      const found = pathNames.flatMap((key) => strings(params[key]))
      const urls = strings(params["url"])
      const shape = command === undefined ? undefined : read(command)
      const directory = typeof params["cwd"] === "string" ? absolute(params["cwd"]) : root
      const paths = command !== undefined || found.length === 0 ? undefined : found.flatMap(placesOf)
      const hosts = urls.length === 0 ? undefined : urls.flatMap((url) => hostOf(url) ?? [])
      const is = definition(tool)
      const touched = (): Touched | "unread" => {
        if (shape !== undefined) {
          return touchedBy(shape, placesFrom(directory), (place) => options.isFile?.(place) === true)
        }
        if (typeof params["patch"] === "string") {
          return { named: pathsOfPatch(params["patch"]).flatMap(placesOf), mentioned: [], descended: [] }
        }
        // Nobody has said which of the parameters of such a tool is a path, so any may be.
        const mentioned =
          paths === undefined && hosts === undefined && tool.category !== "files" ? texts(params).flatMap(placesOf) : []
        return { named: [], mentioned, descended: [] }
      }
      const linked = [here, ...found.map(placesOf)].flatMap(([said = "", ...led]) =>
        led.map((to) => [said, to] as const)
      )
      const namesOf = (place: string): ReadonlyArray<string> =>
        linked.length === 0
          ? [place]
          : [
              place,
              ...linked.flatMap(([said, to]) => (isWithin(place, to) ? [`${said}${place.slice(to.length)}`] : []))
            ]
      const doing = Object.entries(params).filter(([key]) => !beside.has(key))
      const others = (...told: ReadonlyArray<string>) => doing.filter(([key]) => !told.includes(key))
      const rest = others("command", "cwd")
      const make = (key: unknown, said: string, bare = false): Subject => ({
        shape,
        directory,
        isHere: rest.length === 0 && (directory === root || follow(directory) === realRoot),
        paths,
        hosts: hosts?.length === urls.length ? hosts : undefined,
        touched,
        severity: () =>
          command === undefined ? undefined : severity(command, { cwd: directory, roots: [root], home, isIgnored }),
        namesOf,
        bare,
        key: JSON.stringify([name, is, key]),
        words: `${name}: ${said}`
      })
      if (shape !== undefined) {
        const where = directory === root ? "" : ` (in ${directory})`
        const also = rest.length === 0 ? "" : ` (with ${JSON.stringify(Object.fromEntries(rest))})`
        return make([shape.form, directory, rest], `${shape.text}${where}${also}`)
      }
      const exact = () => make(["exact", sha256(rawParams)], "this exact call")
      if (paths !== undefined && hosts === undefined) {
        const isFiles = tool.category === "files"
        const beyond = isFiles ? others(...pathNames).filter(isSwitch) : others(...pathNames)
        if (beyond.length === 0) return make(["path", paths], paths.join(", "), true)
        if (!isFiles) return exact()
        return make(["path", paths, beyond], `${paths.join(", ")} with ${beyond.map(([key]) => key).join(", ")}`)
      }
      if (hosts !== undefined && paths === undefined && hosts.length === urls.length) {
        if (others("url").some(isNoCount)) return exact()
        return make(["host", hosts], hosts.map(({ name, port }) => `${name}:${port}`).join(", "), true)
      }
      return exact()
    }
  }
}
