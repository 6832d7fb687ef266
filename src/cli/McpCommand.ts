import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as ConfigFile from "../config/ConfigFile.ts"
import { locked } from "../config/ConfigLock.ts"
import { ConfigInvalid } from "../config/ConfigError.ts"
import { Configuration } from "../config/Configuration.ts"
import * as Problems from "../config/Problems.ts"
import * as redaction from "../host/redaction.ts"
import * as Records from "../host/Stores.ts"
import type { KnownServer } from "../mcp/KnownServer.ts"
import { ServerName } from "../mcp/McpServer.ts"
import type { Standing } from "../mcp/Pins.ts"
import { commandWords, offerWords, standingWords, tokensOf, variableWords } from "../ui/serverWords.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { makeVisible, visibleLine } from "../text/visible.ts"
import * as JsonOutput from "./jsonOutput.ts"
import { approve, type OneOptions } from "./mcp/DiffCommand.ts"
import { confirmed, say, services } from "./mcp/dialog.ts"
import * as LoginCommand from "./mcp/LoginCommand.ts"
import { type AddOptions, described } from "./mcp/described.ts"
import { definedOffers, offerFields, serverFields } from "./mcp/documents.ts"
import { knownServers, named, slotOf, stateFor } from "./mcp/slots.ts"
import { UsageError } from "./Outcome.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import { Screen } from "./terminal/Screen.ts"
import { isoTime } from "../text/isoTime.ts"

const isServerName: (name: string) => boolean = Schema.is(ServerName)

/** The same for what only reads. */
const reading = Layer.mergeAll(Records.decided, redaction.layerHere).pipe(
  Layer.provideMerge(Screen.layer({ split: false })),
  Layer.provideMerge(ReadOnlyHome.reading)
)

/** What starts a server, without secrets that stand in it; only who adds one sees all of it. */
const commandOf = (known: KnownServer) => Effect.map(Redactor, ({ text }) => text(commandWords(known)))

/** Enters a server in the user's configuration; the file must not have more problems than before. */
const enter = (name: string, server: ConfigFile.Json) =>
  Effect.gen(function* () {
    const { home } = yield* Configuration
    const json = yield* ConfigFile.read(home.config)
    const known = Object.keys(ConfigFile.at(json, ["mcp", "servers"]) ?? {})
    const same = known.find((other) => other.toLowerCase() === name.toLowerCase())
    if (same !== undefined) {
      return yield* new UsageError({
        reason: `There is an MCP server ${same} already; tollgate mcp remove ${same} removes it.`
      })
    }
    const next = ConfigFile.replaceAt(json, ["mcp", "servers", name], server)
    const [first, ...others] = Problems.inFile("mcp add", next).filter(({ key }) => key.startsWith("mcp."))
    if (first !== undefined) return yield* new ConfigInvalid({ problems: [first, ...others] })
    return { file: home.config, next }
  })

/** Starts a server and gives what it offers. */
const asked = (known: KnownServer) => Effect.flatMap(slotOf(known), ({ refresh }) => refresh)

const standingsOf = (known: KnownServer) => Effect.flatMap(slotOf(known), ({ standings }) => standings)

/** Adds a server: shows all of its command, asks once, starts it and approves what it offers. */
export const add = (options: AddOptions) =>
  Effect.gen(function* () {
    const { name, sandbox, yes } = options
    if (!isServerName(name)) {
      return yield* new UsageError({
        reason: `${JSON.stringify(name.slice(0, 80))} cannot be the name of an MCP server. Choose at most 31 letters, digits, - and _; it begins with a letter, does not end with _, and has no __.`
      })
    }
    const server = yield* described(options)
    const { file } = yield* enter(name, server)
    const shown = { name, origin: "user", given: {}, server: server as KnownServer["server"] } as const
    yield* say(
      "url" in server
        ? `MCP server ${name} is reached at:`
        : `MCP server ${name} is this program, which runs ${sandbox ? "in the sandbox" : "with your rights"}:`
    )
    yield* Effect.flatMap(Screen, ({ answer, style }) => answer(`  ${style.bold(commandWords(shown))}\n`))
    for (const variable of variableWords(shown)) yield* say(`  gets ${variable}`)
    if (!(yield* confirmed(`Add it, start it, and approve the tools that it offers now?`, yes)))
      return yield* say("Nothing was changed.")
    yield* locked(file)(Effect.flatMap(enter(name, server), ({ file, next }) => ConfigFile.write(file, next)))
    yield* say(`Added ${name} (${file}).`)
    yield* Effect.gen(function* () {
      const known = yield* named(name)
      const manifest = yield* asked(known)
      yield* approve(known, manifest)
      yield* offered(known, yield* standingsOf(known), manifest.problems)
    }).pipe(Effect.provide(Configuration.layer()))
  }).pipe(Effect.scoped, Effect.provide(services(!options.yes)))

/** What a server offers, a line each. */
const offered = (known: KnownServer, standings: ReadonlyArray<Standing>, problems: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { answer, style, width } = yield* Screen
    yield* say(
      `${known.name}: ${offerWords(standings)}; ${standingWords(standings)}; about ${tokensOf(standings)} tokens of each request.`
    )
    for (const { kind, name, now, state } of standings) {
      const said = now?.definition["description"]
      const line = `${state.padEnd(8)}  ${kind === "tool" ? "" : `${kind} `}${name}  ${typeof said === "string" ? said.split("\n")[0] : ""}`
      const cut = visibleLine(line).slice(0, Math.min(width(), 200) - 3)
      yield* answer(`  ${state === "approved" ? cut : style.yellow(cut)}\n`)
    }
    for (const problem of problems) yield* say(`  ${problem}`)
  })

/** What is known of every server; none is started. */
export const list = ({ json, jsonl }: JsonOutput.JsonOptions) =>
  Effect.gen(function* () {
    yield* JsonOutput.oneOf({ json, jsonl })
    const { answer, style } = yield* Screen
    const rows = yield* Effect.forEach(yield* knownServers, (known) =>
      Effect.gen(function* () {
        const slot = yield* slotOf(known)
        const standings = yield* Effect.either(slot.standings)
        const manifest = yield* Effect.orElseSucceed(slot.manifest, () => undefined)
        return { known, command: yield* commandOf(known), standings, manifest }
      })
    )
    if (json || jsonl) {
      const documents = rows.map(({ command, known, manifest, standings }) =>
        JSON.stringify({
          ...serverFields({ command, known, manifest }),
          ...(Either.isLeft(standings) ? { problem: standings.left.message } : offerFields(standings.right))
        })
      )
      return yield* answer(JsonOutput.render(documents, { json }))
    }
    if (rows.length === 0) return yield* say("No MCP server is configured. tollgate mcp add NAME -- COMMAND adds one.")
    for (const { command, known, manifest, standings } of rows) {
      const state = Either.isLeft(standings)
        ? style.red(makeVisible(standings.left.message))
        : known.server.disabled === true
          ? "disabled"
          : manifest === undefined
            ? "not asked yet"
            : `${standingWords(standings.right)} · ${tokensOf(standings.right)} tokens`
      yield* answer(`${style.bold(known.name)}  ${state}  ${style.dim(command)}\n`)
    }
  }).pipe(Effect.scoped, Effect.provide(reading))

/** All that is known of one server; it is not started. */
export const show = ({ json, name }: OneOptions) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const known = yield* named(name)
    const slot = yield* slotOf(known)
    if (json) {
      const manifest = yield* slot.manifest
      const standings = yield* slot.standings
      return yield* JsonOutput.document({
        ...serverFields({ command: yield* commandOf(known), known, manifest }),
        ...(manifest === undefined ? {} : { server: manifest.server, problems: manifest.problems }),
        offers: definedOffers(standings),
        tokens: tokensOf(standings)
      })
    }
    yield* answer(`${style.bold(known.name)}  ${yield* commandOf(known)}\n`)
    yield* say(known.origin === "user" ? "by your configuration" : "by the .mcp.json of this project")
    for (const variable of variableWords(known)) yield* say(`gets ${variable}`)
    for (const line of yield* LoginCommand.told(known)) yield* say(line)
    const manifest = yield* slot.manifest
    if (manifest === undefined)
      return yield* say(`It has not been asked what it offers; tollgate mcp trust ${name} asks it.`)
    yield* say(
      `${manifest.server.name} ${manifest.server.version} · protocol ${manifest.protocol} · listed ${isoTime(manifest.listedAt)}`
    )
    yield* offered(known, yield* slot.standings, manifest.problems)
  }).pipe(Effect.scoped, Effect.provide(services(false)))

/** Removes a server of the user's configuration, with what was approved of it. */
export const remove = (name: string) =>
  Effect.gen(function* () {
    const { home } = yield* Configuration
    const known = yield* named(name)
    if (known.origin === "project") {
      return yield* new UsageError({ reason: `${name} is in the .mcp.json of this project; remove it there.` })
    }
    const told = yield* LoginCommand.forget(known)
    yield* locked(home.config)(
      Effect.flatMap(ConfigFile.read(home.config), (json) =>
        ConfigFile.write(home.config, ConfigFile.replaceAt(json, ["mcp", "servers", name], undefined))
      )
    )
    const { manifest, pins } = yield* stateFor(known)
    yield* Effect.all([manifest.remove, pins.remove])
    if (told !== undefined) yield* say(told)
    yield* say(`Removed ${name}; what was approved of it is forgotten.`)
  }).pipe(Effect.scoped, Effect.provide(services(false)))
