import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as fs from "node:fs"
import * as path from "node:path"
import * as ConfigFile from "../../config/ConfigFile.ts"
import { Configuration } from "../../config/Configuration.ts"
import * as redaction from "../../host/redaction.ts"
import * as Records from "../../host/Stores.ts"
import { Surroundings } from "../../host/Surroundings.ts"
import { type ClientConfig, clients } from "../../mcp/ClientConfig.ts"
import { foreignServer } from "../../mcp/ForeignServers.ts"
import { Redactor } from "../../redaction/Redactor.ts"
import { systemReason } from "../../system/errno.ts"
import { unmarked } from "../../text/byteOrderMark.ts"
import * as Jsonc from "../../text/Jsonc.ts"
import { visibleLine } from "../../text/visible.ts"
import { policyOf } from "../approvalPolicy.ts"
import { place } from "../here.ts"
import { UsageError } from "../Outcome.ts"
import { Screen } from "../terminal/Screen.ts"
import { adding } from "./adding.ts"
import type { GatewayOptions } from "./GatewayCommand.ts"
import { named } from "./slots.ts"

const clientOf = (name: string) => {
  const found = clients.find((client) => client.name === name)
  return found === undefined
    ? new UsageError({ reason: `Unknown client. Known: ${clients.map((one) => one.name).join(", ")}.` })
    : Effect.succeed(found)
}

/** The words of the command line that say how a gateway works. */
const said = ({ allowAll, approve, mode, server }: Omit<GatewayOptions, "listen" | "names">): ReadonlyArray<string> => [
  ...Option.match(server, { onNone: () => [], onSome: (name) => ["--server", name] }),
  ...Option.match(
    Option.orElse(mode, () => approve),
    { onNone: () => [], onSome: (name) => ["--mode", name] }
  ),
  ...(allowAll ? ["--dangerously-allow-all"] : [])
]

/** Prints what a client needs in its configuration to start the gateway as it is asked for here. */
export const print = (name: string, options: GatewayOptions) =>
  Effect.gen(function* () {
    const client = yield* clientOf(name)
    if (Option.isSome(options.listen)) {
      return yield* new UsageError({
        reason: `--print and --listen cannot be combined: a client over HTTP starts nothing. Give it the URL http://${options.listen.value}/mcp and the header Authorization: Bearer TOKEN; tollgate tokens add NAME --scope operate makes the token.`
      })
    }
    yield* Effect.provide(Effect.transposeMapOption(options.server, named), Records.decided)
    yield* policyOf(options, true)
    const { env } = yield* Surroundings
    const home = env["TOLLGATE_HOME"]
    const { answer } = yield* Screen
    yield* answer(
      client.block({
        command: process.execPath,
        args: [path.resolve(process.argv[1] ?? "tollgate"), "mcp", "gateway", ...said(options)],
        env: home === undefined || home === "" ? {} : { TOLLGATE_HOME: path.resolve(home) }
      })
    )
  }).pipe(Effect.provide(Screen.layer({ split: false })), Effect.provide(Configuration.layer()))

/** Bytes of a file of another program. */
const largest = 4 * 1024 * 1024

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    const node = Jsonc.parse(text)
    return node === undefined ? {} : Jsonc.valueOf(node)
  }
}

/** What the file of another program says, which may have comments; nothing where there is none. */
const readForeign = (file: string, { format, title }: Pick<ClientConfig, "format" | "title">) =>
  Effect.gen(function* () {
    const problem = (what: string) =>
      new UsageError({
        reason: `${file} ${what}; it was not read. It belongs to ${title}: correct it for that program.`
      })
    const text = yield* Effect.try({
      try: () => {
        const found = fs.statSync(file, { throwIfNoEntry: false })
        if (found === undefined) return undefined
        if (found.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" })
        return found.isFile() && found.size <= largest ? unmarked(fs.readFileSync(file, "utf8")) : null
      },
      catch: (error) => problem(`cannot be read: ${systemReason(error)}`)
    })
    if (text === undefined) return {}
    if (text === null) return yield* problem(`is no file of at most ${largest / 1024 / 1024} MiB`)
    if (format === "toml") {
      const { parse } = yield* Effect.promise(() => import("toml"))
      return yield* Effect.try({ try: (): unknown => parse(text), catch: () => problem("is no TOML") })
    }
    const value = yield* Effect.try({
      try: () => parsed(text),
      catch: (error) =>
        problem(`is not valid JSON${error instanceof Jsonc.NotJsonc ? ` in line ${lineAt(text, error.offset)}` : ""}`)
    })
    return Predicate.isReadonlyRecord(value) ? value : yield* problem("is not a JSON object")
  })

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length

/** The variables that an entry names instead of values, as Codex has them. */
const references = (entry: unknown): Readonly<Record<string, string>> => {
  if (!Predicate.isReadonlyRecord(entry)) return {}
  const { bearer_token_env_var: bearer, env_http_headers: headers, env_vars: variables } = entry
  return {
    ...(Predicate.isReadonlyRecord(headers)
      ? Object.fromEntries(Object.entries(headers).map(([name, variable]) => [name, `env:${String(variable)}`]))
      : {}),
    ...(typeof bearer === "string" ? { Authorization: `Bearer env:${bearer}` } : {}),
    ...(Array.isArray(variables)
      ? Object.fromEntries(variables.map((name) => [String(name), `env:${String(name)}`]))
      : {})
  }
}

/** An entry of opencode has the program and its arguments in one. */
const uniform = (entry: unknown): unknown =>
  Predicate.isReadonlyRecord(entry) && Array.isArray(entry["command"])
    ? { ...entry, command: entry["command"][0], args: entry["command"].slice(1), env: entry["environment"] ?? {} }
    : Predicate.isReadonlyRecord(entry) && Predicate.isReadonlyRecord(entry["http_headers"])
      ? { ...entry, headers: entry["http_headers"] }
      : entry

/** Whether a client has switched a server off. */
const isOff = (entry: unknown): boolean =>
  Predicate.isReadonlyRecord(entry) && (entry["enabled"] === false || entry["disabled"] === true)

/** What of an entry a line says, by all the names that clients have for it. */
const taken =
  /^(?:type|transport|command|args|env|environment|url|headers|http_headers|bearer_token_env_var|env_http_headers|env_vars|enabled|disabled)$/

/** What of an entry gets lost. */
const lost = (entry: unknown): ReadonlyArray<string> =>
  Predicate.isReadonlyRecord(entry) ? Object.keys(entry).filter((key) => !taken.test(key)) : []

/** Shows the servers that a client has configured, each as the command that adds it here; nothing is changed or started. */
export const importing = (name: string) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const { home, settings } = yield* Configuration
    const { project } = yield* place
    const redactor = yield* Redactor
    const client = yield* clientOf(name)
    const { env } = yield* Surroundings
    const files = client.files(home.user, project, env)
    /** A line that a shell leaves alone, whatever is in it. */
    const remark = (text: string) => answer(`${style.dim(`# ${visibleLine(text)}`)}\n`)
    let found = 0
    for (const file of files) {
      const json = yield* readForeign(file, client)
      const servers = [[client.member], ...(client.more?.(project) ?? [])].flatMap((steps) => {
        const some = ConfigFile.at(json, steps)
        return Predicate.isReadonlyRecord(some) ? Object.entries(some) : []
      })
      for (const [called, entry] of servers) {
        if (called === "tollgate") continue
        found++
        const made = foreignServer(called, uniform(entry))
        const isThere = settings.mcp?.servers !== undefined && Object.hasOwn(settings.mcp.servers, called)
        const line = Either.flatMap(made, (server) =>
          isThere ? Either.left("there is a server of that name already") : adding(server, references(entry), redactor)
        )
        if (Either.isLeft(line)) {
          yield* remark(`${called.slice(0, 80)}: ${line.left}`)
          continue
        }
        if (isOff(entry))
          yield* remark(`${called}: ${client.title} has it switched off. To use it here: ${line.right.line}`)
        else yield* answer(`${line.right.line}\n`)
        const others = lost(entry)
        if (others.length > 0) yield* remark(`${called}: not taken over: ${others.join(", ")}`)
        if (line.right.isRedacted) yield* remark(`put back what is redacted; it is in ${file}`)
        if (Either.isRight(made) && Object.keys(made.right.given).length > 0)
          yield* remark(`export the variables that it takes; their values are in ${file}`)
      }
    }
    if (found === 0) yield* remark(`No MCP server in ${files.join(" or ")}.`)
  }).pipe(
    Effect.provide(redaction.layerHere),
    Effect.provide(Screen.layer({ split: false })),
    Effect.provide(Configuration.layer())
  )
