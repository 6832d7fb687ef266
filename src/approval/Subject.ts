import * as path from "node:path"
import { canonicalHost } from "../policy/network/HostPattern.ts"
import { isWithin } from "../policy/path/PathText.ts"
import { effectsOf, type Effects, type Reached } from "../policy/shell/Effects.ts"
import type { Invoked } from "../policy/shell/Invoked.ts"
import { severity, type Severity } from "../policy/shell/Severity.ts"
import type { Shape } from "../policy/shell/Shape.ts"
import * as Url from "../text/Url.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { type PathTouch, type Touches, touchesOf } from "../tool/Touches.ts"
import { definition, type Identified, sha256 } from "./Digest.ts"
import type { DiskShape } from "./Disk.ts"

export interface Host {
  readonly name: string
  readonly port: number
}

/** A path that a call touches: what it says and where it leads, absolute. */
export interface Place extends Omit<PathTouch, "path"> {
  readonly paths: ReadonlyArray<string>
}

/** What a call is about, in the terms of rules and grants: its touches, in one project. */
export interface Subject {
  /** Whether anybody has said what the call touches. Where not, it may be anything. */
  readonly declared: boolean
  readonly places: ReadonlyArray<Place>
  /** The paths of all places. */
  readonly paths: ReadonlyArray<string>
  readonly hosts: ReadonlyArray<Host>
  /** Something else than paths, hosts and a command that the rules know: an address that is none, or a name. */
  readonly more: boolean
  /** The analysis of a shell text; unset if the call has none. */
  readonly shape: Shape | undefined
  /** Where a command runs; absolute. */
  readonly directory: string
  /** It is a command alone, and runs where commands run. */
  readonly isHere: boolean
  /** What a command reaches by its words, as absolute paths. Only a rule that forbids or asks looks at it. */
  readonly reached: () => Reached | "unread"
  /** Names that are neither paths nor hosts. */
  readonly names: ReadonlyArray<string>
  /** How many commands a shell text has; `null` if it is not a plain list of them, unset if the call has none. */
  readonly commands: () => number | null | undefined
  /** What a command may run, whatever wraps or nests it; unset if the call has none. Only a rule that forbids or asks looks at it. */
  readonly invoked: () => Invoked | undefined
  /** Hosts that a command connects to by its words. */
  readonly connected: () => ReadonlyArray<Host>
  /** Names that a command could reach as hosts. */
  readonly mentionedHosts: () => ReadonlyArray<string>
  /** The severity of a shell text; unset if the call has none. */
  readonly severity: () => Severity | undefined
  /** All names of a path that the call comes upon, which its parameters or the directory of calls may name by a link. */
  readonly namesOf: (path: string) => ReadonlyArray<string>
  /** It is about paths alone or hosts alone, and nothing else says what it does. */
  readonly bare: boolean
  /** What a grant covers: the same key is the same thing. */
  readonly key: string
  /** The key in words, for the person who grants it. */
  readonly words: string
}

/** A call, and what it touches where that is known otherwise than from its parameters. */
export interface Described extends Pick<ToolCall, "name" | "params" | "rawParams"> {
  readonly tool: Identified & Pick<ToolCall["tool"], "touches">
  readonly touches?: Touches
}

/** Says what calls are about. */
export interface Describing {
  readonly of: (call: Described) => Subject
}

/** What makes two calls the same to a person: who makes them, how they are blanked and what is said about them does not. */
export const likeness = ({ name, rawParams, tool }: Described, subject: Subject): string =>
  subject.shape === undefined ? sha256([name, definition(tool), rawParams]) : subject.key

/** What a call touches, as JSON: where that is the same, the call is about the same. */
export const touchedBy = ({ declared, directory, hosts, names, places, shape }: Subject): unknown =>
  declared ? { places, hosts, names, command: shape && [shape.text, directory] } : null

const maxKnown = 512

const hostOf = (text: string): Host | undefined => {
  const url = Url.parsed(text)
  if (url === undefined) return undefined
  const { hostname, port, protocol } = url
  const name = canonicalHost(hostname)
  return name === undefined ? undefined : { name, port: port === "" ? (protocol === "http:" ? 80 : 443) : Number(port) }
}

/** Understands calls by what they touch; relative paths start at `root`. */
export const describing = (root: string, home: string, disk: DiskShape): Describing => {
  const known = new Map<string, Effects>()
  const read = (text: string): Effects => {
    const found = known.get(text)
    if (found !== undefined) return found
    const effects = effectsOf(text)
    if (known.size >= maxKnown) known.clear()
    known.set(text, effects)
    return effects
  }
  const { isFile, resolve } = disk
  const isIgnored = disk.ignoredBelow?.(root)
  const realRoot = resolve(root)
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
      return [...new Set([said, resolve(said), resolve(followed)].map(asRooted))]
    }
  const placesOf = placesFrom(root)
  const here = placesOf(".")
  const placed = ({ below, op, path }: PathTouch): Place => {
    const paths = placesOf(path)
    // A file has nothing below it.
    return { paths, op, ...(below !== undefined && !paths.every(isFile) && { below }) }
  }

  return {
    of: (call) => {
      const { name, rawParams, tool } = call
      const touches = call.touches ?? touchesOf(tool.touches, call.params)
      const { command, complete = false, hosts: urls = [], names = [] } = touches ?? {}
      const places = (touches?.paths ?? []).map(placed)
      const paths = places.flatMap(({ paths }) => paths)
      const hosts = urls.flatMap((url) => hostOf(url) ?? [])
      const effects = command === undefined ? undefined : read(command.text)
      const directory = command?.cwd === undefined ? root : path.posix.resolve(root, command.cwd)
      const shape = effects?.shape
      const reached = (): Reached | "unread" => {
        const found = effects?.paths()
        if (found === undefined || found === "unread") return found ?? { named: [], mentioned: [], descended: [] }
        const from = placesFrom(directory)
        return {
          named: found.named.flatMap(from),
          mentioned: found.mentioned.flatMap(from),
          descended: found.descended.flatMap(from).filter((place) => !isFile(place))
        }
      }
      const linked = [here, ...places.map(({ paths }) => paths)].flatMap(([said = "", ...led]) =>
        led.map((to) => [said, to] as const)
      )
      const namesOf = (place: string): ReadonlyArray<string> => [
        place,
        ...linked.flatMap(([said, to]) => (isWithin(place, to) ? [`${said}${place.slice(to.length)}`] : []))
      ]
      const more = hosts.length < urls.length || names.length > 0
      const isPlain = complete && !more
      const isCommand = isPlain && shape !== undefined && places.length === 0 && hosts.length === 0
      const isWhole = places.every(({ below }) => below !== "all")
      const where = directory === root ? "" : ` (in ${directory})`
      const told = [
        ...(shape === undefined ? [] : [`${shape.text}${where}`]),
        ...paths,
        ...hosts.map(({ name, port }) => `${name}:${port}`),
        ...names
      ]
      const isNamed = complete && told.length > 0
      const covered = isNamed
        ? [shape?.form, directory, places.map(({ below, op, paths }) => [op, below, paths]), urls.length, hosts, names]
        : ["exact", sha256(rawParams)]
      return {
        // Names below /proc lead anywhere, to each reader somewhere else.
        declared: touches !== undefined && !paths.some((place) => isWithin(place, "/proc")),
        places,
        paths,
        hosts,
        more,
        shape,
        directory,
        isHere: isCommand && (directory === root || resolve(directory) === realRoot),
        reached,
        names,
        commands: () => effects?.commands(),
        invoked: () => effects?.invoked(),
        connected: () => effects?.invoked().urls.flatMap((url) => hostOf(url) ?? []) ?? [],
        mentionedHosts: () => effects?.hosts() ?? [],
        severity: () => command && severity(command.text, { cwd: directory, roots: [root], home, isIgnored }),
        namesOf,
        bare: isPlain && isWhole && shape === undefined && (paths.length === 0) !== (hosts.length === 0),
        key: JSON.stringify([name, definition(tool), covered]),
        words: `${name}: ${isNamed ? told.join(", ") : "this exact call"}`
      }
    }
  }
}
