import * as Either from "effect/Either"
import * as path from "node:path"
import type { PathTouch } from "../tool/Touches.ts"
import { parsePatch, patchTargets } from "../tools/files/Patch.ts"
import { typed } from "../text/ShellWord.ts"
import { globBase } from "../policy/path/GlobBase.ts"
import { repeatedName } from "../text/Json.ts"
import { type Data, type Deed, isData } from "./ForeignCall.ts"
import { patternsIn, patternsOf } from "./NamePatterns.ts"

/** What the parameters of a tool come to, in a directory; unset where they are not what the tool takes. */
export type Reading = (input: Data, cwd: string) => ReadonlyArray<Deed> | undefined

/** The tools of an agent, by its own names. */
export type ToolTable = ReadonlyMap<string, Reading>

/** The value of the one of these parameters that is given; none where two are, for nobody knows which of them counts. */
const text = (input: Data, names: ReadonlyArray<string>): string | undefined => {
  const [found, ...more] = names.map((name) => input[name]).filter((value) => value !== undefined && value !== null)
  return typeof found === "string" && more.length === 0 ? found : undefined
}

const isText = (value: unknown): boolean => typeof value === "string"
const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: isText,
  number: (value) => typeof value === "number",
  flag: (value) => typeof value === "boolean",
  texts: (value) => Array.isArray(value) && value.every(isText),
  numbers: (value) => Array.isArray(value) && value.every((one) => typeof one === "number"),
  any: () => true
}

/** The edits of a list, each of which is a text for another and nothing else. */
const isEdits = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every(
    (one) =>
      isData(one) &&
      fits(one, parametersFrom("old_string new_string oldString newString replace_all:flag replaceAll:flag"))
  )

type Parameters = ReadonlyMap<string, (value: unknown) => boolean>

const parametersFrom = (synopsis: string): Parameters =>
  new Map(
    synopsis.split(/\s+/).map((word) => {
      const [name = "", kind = "text"] = word.split(":")
      return [name, kind === "edits" ? isEdits : (kinds[kind] ?? isText)]
    })
  )

const fits = (input: Data, parameters: Parameters): boolean =>
  Object.entries(input).every(([name, value]) => value === null || (parameters.get(name)?.(value) ?? false))

/**
 * Reads a call only where each of its parameters is known and of its type, as in `command timeout:number`: what a parameter does
 * that nobody knows, nobody can judge.
 */
export const takes = (synopsis: string, reading: Reading): Reading => {
  const parameters = parametersFrom(synopsis)
  return (input, cwd) => (fits(input, parameters) ? reading(input, cwd) : undefined)
}

const has = (input: Data, names: ReadonlyArray<string>): boolean =>
  names.some((name) => input[name] !== undefined && input[name] !== null)

/** A path as the kernel would be given it; what is no plain path stays as it is written, for the policy to refuse. */
const from = (cwd: string, name: string): string =>
  name === "" || /^[/~$%\\]|^[A-Za-z][A-Za-z0-9+.-]*:/.test(name) ? name : `${cwd}/${name}`

/** A patch that is all of a shell text, as `apply_patch` is called by models that know it as a command. */
const patchCommand =
  /^\s*(?:cd\s+(?<directory>[\w./-]+)\s*&&\s*)?apply_?patch\s*<<\s*(?<quote>['"])(?<mark>\w+)\k<quote>[ \t]*\n(?<patch>[\s\S]*?)\n\k<mark>\s*$/
const patchBegins = "*** Begin Patch"
const patchEnds = "\n*** End Patch"

/** The first patch in a text that is whole. */
const patchIn = (text: string): string | undefined => {
  const from = text.indexOf(`${patchBegins}\n`)
  const to = from < 0 ? -1 : text.indexOf(patchEnds, from + patchBegins.length + 1)
  return to < 0 ? undefined : text.slice(from, to + patchEnds.length)
}

const patched = (given: string, cwd: string): Deed => ({
  tool: "apply_patch",
  touches: Either.match(parsePatch(given), {
    onLeft: () => undefined,
    onRight: (steps) => ({
      paths: patchTargets(steps).map(({ op, path: name }) => ({ op, path: from(cwd, name) })),
      complete: true
    })
  })
})

/** What a shell text does where it runs; a patch in it is one, for some agents apply it without a shell. */
const commanded = (command: string, cwd: string): ReadonlyArray<Deed> => {
  const whole = patchCommand.exec(command)?.groups
  if (whole !== undefined) return [patched(whole["patch"] ?? "", path.resolve(cwd, whole["directory"] ?? "."))]
  const shell: Deed = { tool: "run_shell", touches: { command: { text: command, cwd }, complete: true } }
  if (!command.includes(patchBegins)) return [shell]
  const found = patchIn(command)
  const elsewhere = /(?:^|[\s;&|(])(?:cd|pushd)\s/.test(command)
  return [shell, elsewhere || found === undefined ? { tool: "apply_patch", touches: undefined } : patched(found, cwd)]
}

/** Whether words start a shell of the system that runs a text of theirs and is told nothing else; any other one is a program like others. */
const isShell = ([program = "", options = ""]: ReadonlyArray<string>): boolean =>
  /^(?:\/(?:usr\/(?:local\/)?)?bin\/)?(?:ba|z|da)?sh$/.test(program) && /^-[elux]*c$/.test(options)

/** Runs a shell text, in the directory that one of the parameters names, if any does. */
export const shell =
  (parameter = "command", directories: ReadonlyArray<string> = []): Reading =>
  (input, cwd) => {
    const given = input[parameter]
    const words =
      Array.isArray(given) && given.every((one) => typeof one === "string")
        ? isShell(given)
          ? given.length === 3
            ? given[2]
            : undefined
          : given.map(typed).join(" ")
        : given
    const directory = text(input, directories)
    if (typeof words !== "string" || (directory === undefined && has(input, directories))) return undefined
    return commanded(words, path.resolve(cwd, directory ?? "."))
  }

/** Does one thing to one file. */
export const file =
  (tool: string, op: PathTouch["op"], parameters: ReadonlyArray<string>): Reading =>
  (input, cwd) => {
    const name = text(input, parameters)
    if (name === undefined) return undefined
    return [{ tool, touches: { paths: [{ path: from(cwd, name), op }], complete: true } }]
  }

/** The patterns one of which the name of a file has to match to be opened, where there are any. */
const filtersOf = (input: Data, names: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const filter = text(input, names)
  if (filter === undefined && has(input, names)) return undefined
  return filter === undefined ? patternsOf(input["type"]) : patternsIn(filter)
}

/** Whether a search is told to go by no ignore file. */
const uncovers = ({ file_filtering_options: options, no_ignore, respect_git_ignore }: Data): boolean =>
  no_ignore === true || respect_git_ignore === false || (isData(options) && options["respect_git_ignore"] === false)

/** Looks at a directory and what lies below it; where the agent stands if no parameter names one. */
export const search =
  (
    tool: "glob" | "grep" | "list_dir",
    parameters: ReadonlyArray<string>,
    filters: ReadonlyArray<string> = []
  ): Reading =>
  (input, cwd) => {
    const name = text(input, parameters)
    const pattern = tool === "glob" ? text(input, ["pattern"]) : undefined
    if (name === undefined && has(input, parameters)) return undefined
    const base = pattern === undefined ? Either.right(".") : globBase(pattern)
    const opens = filtersOf(input, filters)
    if (Either.isLeft(base) || opens === undefined) return undefined
    const start = from(cwd, name ?? ".")
    const place = {
      path: base.right === "." ? start : from(start, base.right),
      op: tool === "grep" ? "read" : "list"
    } as const
    const below = tool === "list_dir" ? {} : ({ below: "unwithheld" } as const)
    return [
      {
        tool,
        touches: { paths: [{ ...place, ...below }], complete: true },
        opens: pattern === undefined ? opens : patternsIn(pattern),
        uncovers: uncovers(input)
      }
    ]
  }

/** Reads the files of lists, some of whose entries may be patterns. */
export const files =
  (parameters: ReadonlyArray<string>): Reading =>
  (input, cwd) => {
    const given = parameters.map((name) => input[name]).filter((value) => value !== undefined && value !== null)
    const entries = given.flatMap((value): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value]))
    if (entries.length === 0 || !entries.every((entry) => typeof entry === "string")) return undefined
    // They take a backslash for the sign between directories.
    const names = entries.map((entry) => entry.replaceAll("\\", "/"))
    const bases = names.map((name) => (/[*?[\]{}()!@+]/.test(name) ? globBase(name) : Either.right(undefined)))
    if (bases.some(Either.isLeft)) return undefined
    return names.map((name, index) => {
      const base = Either.getOrUndefined(bases[index] ?? Either.right(undefined))
      return base === undefined
        ? { tool: "read_file", touches: { paths: [{ path: from(cwd, name), op: "read" }], complete: true } }
        : {
            tool: "grep",
            touches: { paths: [{ path: from(cwd, base), op: "read", below: "unwithheld" }], complete: true },
            opens: patternsIn(name),
            uncovers: uncovers(input)
          }
    })
  }

/** Applies a patch. */
export const patch =
  (...parameters: ReadonlyArray<string>): Reading =>
  (input, cwd) => {
    const given = text(input, parameters)
    return given === undefined ? undefined : [patched(given, cwd)]
  }

const fetched = (urls: ReadonlyArray<string>): Deed => ({
  tool: "fetch_url",
  touches: { hosts: urls, complete: true }
})

/** Fetches an address. */
export const fetches =
  (parameter = "url"): Reading =>
  (input) => {
    const url = input[parameter]
    return typeof url === "string" ? [fetched([url])] : undefined
  }

/** Fetches the addresses that stand in prose. */
export const fetchesFrom =
  (parameter: string): Reading =>
  (input) => {
    const prose = input[parameter]
    if (typeof prose !== "string") return undefined
    // What stands before `@` names a user, whatever its characters.
    const urls = [...prose.matchAll(/\b[a-z][a-z0-9+.-]{0,63}:\/\/(?:[^\s/\\?#]*@)?[^\s<>"'`)\]}]+/gi)].map(([url]) =>
      url.replace(/(?<![.,;!?])[.,;!?]+$/, "")
    )
    return urls.length === 0 ? [{ tool: "fetch_url", touches: undefined }] : [fetched(urls)]
  }

/** Touches nothing outside of the agent itself. */
export const harmless: Reading = () => []

/** Tools that touch nothing outside of the agent itself. */
export const allHarmless = (names: string): ReadonlyArray<readonly [string, Reading]> =>
  names.split(" ").map((name) => [name, harmless] as const)

/** A tool of an agent that does an ordinary thing; nobody has said what it touches. */
export const opaque =
  (tool: string): Reading =>
  () => [{ tool, touches: undefined }]

/** Keys that only end or stop what runs: ctrl-c, ctrl-d, ctrl-z and ctrl-\. */
const endingKeys = new Set("\u0003\u0004\u001a\u001c")

/** Types into a command that runs, which may be a shell; nothing where it only looks at it or ends it. */
export const types =
  (parameter: string): Reading =>
  (input) => {
    const keys = input[parameter] ?? ""
    if (typeof keys !== "string") return undefined
    return [...keys].every((key) => endingKeys.has(key)) ? [] : [{ tool: "run_shell", touches: undefined }]
  }

/**
 * Adds to a file of lasting instructions of the agent's own, below the home directory; in the scope `project` to the one of that name
 * where the agent stands.
 */
export const remembers =
  (directory: string, name: string): Reading =>
  (input, cwd) => {
    const { scope = "global" } = input
    const place = scope === "project" ? `${cwd}/${name}` : `${directory}/${name}`
    const write: Deed = { tool: "edit_file", touches: { paths: [{ path: place, op: "write" }], complete: true } }
    return [{ tool: "remember", touches: undefined }, scope === "project" ? write : { ...write, isOfHome: true }]
  }

/** Nobody here knows what it does, so that a person or a rule has to let it pass. */
export const unknown =
  (tool: string): Reading =>
  () => [{ tool, touches: undefined, isUnknown: true }]

/** A tool of an MCP server, which is called `mcp__server__tool` or the like; rules name it `server__tool`. */
export const ofServer = (name: string): Reading | undefined => {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? /^mcp_([^_]+)_(.+)$/s.exec(name) ?? []
  return server === undefined || tool === undefined ? undefined : unknown(`${server}__${tool}`)
}

/** The parameters of a call, which some agents give as text; none where a name in it counts twice. */
export const parametersOf = (given: unknown): Data | undefined => {
  if (isData(given)) return given
  if (typeof given !== "string") return undefined
  try {
    const parsed: unknown = JSON.parse(given)
    return isData(parsed) && repeatedName(given) === undefined ? parsed : undefined
  } catch {
    return undefined
  }
}
