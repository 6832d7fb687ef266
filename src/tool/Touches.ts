import * as Schema from "effect/Schema"
import * as path from "node:path"
import { valueOf } from "../middleware/effectOf.ts"
import { filesOf, isFileUri } from "../text/FileUri.ts"

/** What is done with a path. */
export type PathUse = "read" | "write" | "remove" | "list"

export interface PathTouch {
  /** Absolute, or from the root of the project. */
  readonly path: string
  readonly op: PathUse
  /** What lies below is touched as well, at any depth: `all` of it, or what `call.withheld` lets the call find. */
  readonly below?: "all" | "unwithheld"
}

/** What a call touches, as data: rules, grants, previews and withholding judge this and nothing else. */
export interface Touches {
  readonly paths?: ReadonlyArray<PathTouch>
  /** A text that bash runs, and its directory: the root of the project if unset. */
  readonly command?: { readonly text: string; readonly cwd?: string | undefined }
  /** Addresses, as http or https URLs. */
  readonly hosts?: ReadonlyArray<string>
  /** What else there is, by names of its own: `memory of this session`. */
  readonly names?: ReadonlyArray<string>
  /**
   * Other parameters need no consent, e.g. the page of a file: a longer answer covers every call of the tool that
   * touches the same. If unset, an answer covers only calls with equal parameters.
   */
  readonly complete?: boolean
}

/** What calls of a tool touch; nothing that a rule could name is `none`. A call that gives `undefined` is judged as a whole. */
export type Declaration<Params> = "none" | ((params: Params) => Touches | undefined)

const none: Touches = {}

const isList = (value: unknown, fits: (one: unknown) => boolean): boolean =>
  value === undefined || (Array.isArray(value) && value.every(fits))
const isText = (value: unknown): boolean => typeof value === "string"
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value))

const uses: ReadonlySet<unknown> = new Set<PathUse>(["read", "write", "remove", "list"])
const fields = new Set(["paths", "command", "hosts", "names", "complete"])

/** Whether a declaration gave touches: a mistake in it must not count as touching nothing. */
const isTouches = (given: unknown): given is Touches =>
  isObject(given) &&
  Object.keys(given).every((name) => fields.has(name)) &&
  isList(given["paths"], (one) => isObject(one) && isText(one["path"]) && uses.has(one["op"])) &&
  isList(given["hosts"], isText) &&
  isList(given["names"], isText) &&
  (given["command"] === undefined || (isObject(given["command"]) && isText(given["command"]["text"])))

/** What a call touches; unset if it is not declared or the tool cannot tell. It never throws. */
export const touchesOf = (declared: Declaration<never> | undefined, params: unknown): Touches | undefined => {
  if (declared === undefined || declared === "none") return declared && none
  try {
    const given: unknown = valueOf("it", declared(params as never))
    return isTouches(given) ? given : undefined
  } catch {
    return undefined
  }
}

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
const Name = Schema.NonEmptyString

/**
 * What a foreign tool touches, by the names of its parameters, as a user configures it: each holds a text, or for paths
 * and hosts a list of them. A call without such a parameter is judged as a whole, unless there is a `default`.
 */
export const Configured = Schema.Union(
  Schema.Literal("none"),
  Schema.Struct({
    paths: optional(
      Schema.Array(
        Schema.Struct({
          parameter: Name,
          op: Schema.Literal("read", "write", "remove", "list"),
          /** What lies below a directory is touched as well. */
          below: optional(Schema.Boolean),
          /** Where relative paths begin; the directory of the session if unset. */
          base: optional(
            Schema.String.pipe(
              Schema.filter((text) => path.isAbsolute(text) || "expected an absolute path, e.g. /srv/data")
            )
          ),
          default: optional(Schema.String)
        })
      )
    ),
    command: optional(Schema.Struct({ parameter: Name, cwd: optional(Name) })),
    hosts: optional(Schema.Array(Name)),
    names: optional(Schema.Array(Name)),
    complete: optional(Schema.Boolean)
  })
)
export type Configured = typeof Configured.Type

const texts = (value: unknown): ReadonlyArray<string> | undefined =>
  typeof value === "string"
    ? [value]
    : Array.isArray(value) && value.every((one) => typeof one === "string")
      ? value
      : undefined

/** What is configured, as a tool declares it. */
export const configured = (given: Configured): Declaration<unknown> => {
  if (given === "none") return given
  const { command, complete = false, hosts = [], names = [], paths = [] } = given
  return (params) => {
    const of = (name: string): unknown =>
      typeof params === "object" && params !== null && Object.hasOwn(params, name)
        ? (params as Record<string, unknown>)[name]
        : undefined
    const text = command === undefined ? undefined : of(command.parameter)
    const cwd = command?.cwd === undefined ? undefined : of(command.cwd)
    const places = paths.map(({ base = "", below = false, default: usual, op, parameter }) => {
      const value = of(parameter)
      return texts(value === undefined ? usual : value)
        ?.flatMap((one) => (isFileUri(one) ? filesOf(one) : [one]))
        .map((one): PathTouch => ({
          path: base === "" ? one : path.resolve(base, one),
          op,
          ...(below && { below: "all" })
        }))
    })
    const reached = hosts.map((name) => texts(of(name)))
    const named = names.map((name) => texts(of(name)))
    const isUnread =
      [...places, ...reached, ...named].includes(undefined) ||
      (command !== undefined && typeof text !== "string") ||
      (cwd !== undefined && typeof cwd !== "string")
    if (isUnread) return undefined
    return {
      paths: places.flatMap((found) => found ?? []),
      hosts: reached.flatMap((found) => found ?? []),
      names: named.flatMap((found) => found ?? []),
      ...(typeof text === "string" && { command: { text, cwd: cwd as string | undefined } }),
      complete
    }
  }
}
