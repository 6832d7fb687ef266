import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { canonicalHost } from "../policy/network/HostPattern.ts"
import { isWithin } from "../policy/path/PathText.ts"
import { severity, type Severity } from "../policy/shell/Severity.ts"
import { words } from "../policy/shell/ShellPolicy.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { descended } from "./Descent.ts"
import { definition, sha256 } from "./Digest.ts"
import { sourcesOf } from "./Sources.ts"

export interface Host {
  readonly name: string
  readonly port: number
}

/** What a call is about, in the terms of rules and grants. */
export interface Subject {
  /** The words of each command of a shell text; `unread` where it is not a plain list of literal commands. */
  readonly commands: ReadonlyArray<ReadonlyArray<string>> | "unread" | undefined
  /** Absolute. */
  readonly paths: ReadonlyArray<string> | undefined
  readonly hosts: ReadonlyArray<Host> | undefined
  /** Files that decide what a command does: an answer about the command is void once one has changed. */
  readonly sources: ReadonlyArray<string>
  /** What a command or a patch reaches besides. Only a rule that forbids or asks looks at it. */
  readonly touched: () => Touched | "unread"
  /** How bad a shell text is; absent where the call is about none. */
  readonly severity: () => Severity | undefined
  /** All names of a path that the call comes upon, which its parameters or the directory of calls may name by a link. */
  readonly namesOf: (path: string) => ReadonlyArray<string>
  /** Nothing else in the call says what it does, e.g. in which directory a command runs. */
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

/** How calls are understood; the default goes by the names of parameters. */
export class Subjects extends Context.Reference<Subjects>()("tollgate/approval/Subjects", {
  defaultValue: (): { readonly of: (call: Described) => Subject } => byName({ cwd: "/" })
}) {
  static readonly layer = (options: SubjectOptions): Layer.Layer<Subjects> =>
    Layer.sync(Subjects, () => byName(options))
}

export interface SubjectOptions {
  /** Where relative paths start. */
  readonly cwd: string
  /** Where a path leads, links resolved; lexically where absent. */
  readonly resolve?: (path: string) => string
  /** Whether a path is known to lead to a file, which has nothing below it. */
  readonly isFile?: (path: string) => boolean
  /** What `~` stands for; the root where absent. */
  readonly home?: string
}

/** Characters of a command that rules look into; a longer one is `unread`. Parsing 1 KiB takes up to a millisecond. */
const maxCommand = 1024
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

const hostOf = (text: string): Host | undefined => {
  if (!URL.canParse(text)) return undefined
  const { hostname, port, protocol } = new URL(text)
  const name = canonicalHost(hostname)
  return name === undefined ? undefined : { name, port: port === "" ? (protocol === "http:" ? 80 : 443) : Number(port) }
}

const readCommands = (text: string): Subject["commands"] => {
  if (text.length > maxCommand) return "unread"
  const read = words(text)
  // An analysis that finds nothing has not understood.
  return read === undefined || read.length === 0 || read.some((command) => command.length === 0) ? "unread" : read
}

const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))

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
  commands: NonNullable<Subject["commands"]>,
  resolve: (word: string) => ReadonlyArray<string>,
  isFile: (path: string) => boolean
): Touched | "unread" => {
  if (commands === "unread" || commands.some(([name]) => name === "cd" || name === "pushd")) return "unread"
  const words = commands.flat()
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

/** A command as it could be typed. */
export const commandLine = (command: ReadonlyArray<string>): string => command.map(shellWord).join(" ")

/** Understands calls by the names of their parameters: `command`, `path` and its like, `url`. */
export const byName = (options: SubjectOptions): { readonly of: (call: Described) => Subject } => {
  const known = new Map<string, Subject["commands"]>()
  const read = (text: string): Subject["commands"] => {
    const found = known.get(text)
    if (found !== undefined) return found
    const commands = readCommands(text)
    if (known.size >= maxKnown) known.clear()
    known.set(text, commands)
    return commands
  }
  const absolute = (text: string) => path.posix.resolve(options.cwd, text)
  /** What it says and where it leads: a rule that forbids either forbids the call, one that allows has to fit both. */
  const placesFrom =
    (start: string) =>
    (text: string): ReadonlyArray<string> => {
      const said = path.posix.resolve(start, text)
      // Only the letter of a path takes `link/..` for nothing.
      const followed = text.startsWith("/") ? text : `${start}/${text}`
      return [...new Set([said, options.resolve?.(said) ?? said, options.resolve?.(followed) ?? said])]
    }
  const placesOf = placesFrom(options.cwd)
  const { home = "/" } = options
  const here = placesOf(".")

  return {
    of: (call) => {
      const { name, rawParams, tool } = call
      const params: Readonly<Record<string, unknown>> =
        typeof rawParams === "object" && rawParams !== null ? (rawParams as Record<string, unknown>) : {}
      const command = typeof params["command"] === "string" ? params["command"] : undefined
      const found = pathNames.flatMap((key) => strings(params[key]))
      const urls = strings(params["url"])
      const commands = command === undefined ? undefined : read(command)
      const paths = command !== undefined || found.length === 0 ? undefined : found.flatMap(placesOf)
      const hosts = urls.length === 0 ? undefined : urls.flatMap((url) => hostOf(url) ?? [])
      const directory = typeof params["cwd"] === "string" ? absolute(params["cwd"]) : options.cwd
      const is = definition(tool)
      const touched = (): Touched | "unread" => {
        if (commands !== undefined) {
          const start = typeof params["cwd"] === "string" ? absolute(params["cwd"]) : options.cwd
          return touchedBy(commands, placesFrom(start), (place) => options.isFile?.(place) === true)
        }
        const patched = typeof params["patch"] === "string" ? pathsOfPatch(params["patch"]) : []
        return { named: patched.flatMap(placesOf), mentioned: [], descended: [] }
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
      const make = (
        key: unknown,
        said: string,
        { bare = false, sources = [] }: Partial<Pick<Subject, "bare" | "sources">> = {}
      ): Subject => ({
        commands,
        paths,
        hosts: hosts?.length === urls.length ? hosts : undefined,
        sources,
        touched,
        severity: () =>
          command === undefined ? undefined : severity(command, { cwd: directory, roots: [options.cwd], home }),
        namesOf,
        bare,
        key: JSON.stringify([name, is, key]),
        words: `${name}: ${said}`
      })
      if (commands !== undefined && commands !== "unread") {
        const rest = others("command")
        const cwd = typeof params["cwd"] === "string" ? absolute(params["cwd"]) : options.cwd
        return make([commands, rest], commands.map(commandLine).join(" ; "), {
          bare: rest.length === 0,
          sources: sourcesOf(commands, (file) => path.posix.resolve(cwd, file))
        })
      }
      const exact = () => make(["exact", sha256(commands === undefined ? rawParams : doing)], "this exact call")
      if (paths !== undefined && hosts === undefined) {
        const isFiles = tool.category === "files"
        const rest = isFiles ? others(...pathNames).filter(isSwitch) : others(...pathNames)
        if (rest.length === 0) return make(["path", paths], paths.join(", "), { bare: true })
        if (!isFiles) return exact()
        return make(["path", paths, rest], `${paths.join(", ")} with ${rest.map(([key]) => key).join(", ")}`)
      }
      if (hosts !== undefined && paths === undefined && commands === undefined && hosts.length === urls.length) {
        if (others("url").some(isNoCount)) return exact()
        return make(["host", hosts], hosts.map(({ name, port }) => `${name}:${port}`).join(", "), { bare: true })
      }
      return exact()
    }
  }
}
