import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { canonicalHost } from "../policy/network/HostPattern.ts"
import { words } from "../policy/shell/ShellPolicy.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
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
  /** Paths besides, as far as words tell: of a command or a patch. Only a rule that forbids or asks looks at them. */
  readonly touched: () => ReadonlyArray<string> | "unread"
  /** Nothing else in the call says what it does, e.g. in which directory a command runs. */
  readonly bare: boolean
  /** What a grant covers: the same key is the same thing. */
  readonly key: string
  /** The key in words, for whoever grants it. */
  readonly words: string
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

/** A command that goes elsewhere is not followed. */
const wordsThatTouch = (
  commands: NonNullable<Subject["commands"]>,
  resolve: (word: string) => ReadonlyArray<string>
): ReadonlyArray<string> | "unread" =>
  commands === "unread" || commands.some(([name]) => name === "cd" || name === "pushd")
    ? "unread"
    : commands.flat().flatMap((word) => [word, ...word.split("=").slice(1)].flatMap(resolve))

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
  const placesOf = (text: string): ReadonlyArray<string> => {
    const said = absolute(text)
    return [...new Set([said, options.resolve?.(said) ?? said])]
  }

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
      const is = definition(tool)
      const touched = (): ReadonlyArray<string> | "unread" => {
        if (commands !== undefined) {
          const start = typeof params["cwd"] === "string" ? absolute(params["cwd"]) : options.cwd
          return wordsThatTouch(commands, (word) => placesOf(path.posix.resolve(start, word)))
        }
        return typeof params["patch"] === "string" ? pathsOfPatch(params["patch"]).flatMap(placesOf) : []
      }
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
