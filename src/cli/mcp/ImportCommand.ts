import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as path from "node:path"
import * as ConfigFile from "../../config/ConfigFile.ts"
import { Configuration } from "../../config/Configuration.ts"
import { clients } from "../../mcp/ClientConfig.ts"
import { type ForeignServer, foreignServer } from "../../mcp/ForeignServers.ts"
import { isProgram } from "../../mcp/KnownServer.ts"
import { typed } from "../../text/ShellWord.ts"
import { makeVisible } from "../../text/visible.ts"
import { place } from "../here.ts"
import { UsageError } from "../Outcome.ts"
import { Screen } from "../terminal/Screen.ts"

/** The words that start this very program as a gateway. */
const argv = () => [process.execPath, path.resolve(process.argv[1] ?? "tollgate"), "mcp", "gateway"] as const

const clientOf = (name: string) => {
  const found = clients.find((client) => client.name === name)
  return found === undefined
    ? new UsageError({ reason: `Unknown client. Known: ${clients.map((one) => one.name).join(", ")}.` })
    : Effect.succeed(found)
}

/** Prints what a client needs in its configuration to have the gateway. */
export const print = (name: string) =>
  Effect.gen(function* () {
    const client = yield* clientOf(name)
    const [program, ...args] = argv()
    const { answer } = yield* Screen
    yield* answer(client.block(program, args))
  }).pipe(Effect.provide(Screen.layer({ split: false })))

/** An entry of opencode has the program and its arguments in one. */
const uniform = (entry: unknown): unknown =>
  ConfigFile.isRecord(entry) && Array.isArray(entry["command"])
    ? { ...entry, command: entry["command"][0], args: entry["command"].slice(1), env: entry["environment"] ?? {} }
    : entry

/** The command that adds such a server; values stay where they are. */
const adding = ({ given, name, server }: ForeignServer): string => {
  const names = Object.keys(given)
  const words = isProgram(server)
    ? ["tollgate", "mcp", "add", name, ...names.flatMap((one) => ["--env", one]), "--", ...server.command]
    : [
        "tollgate",
        "mcp",
        "add",
        name,
        "--url",
        server.url,
        ...names.flatMap((one) => [
          "--header",
          `${one}=env:${`${name}_${one}`.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`
        ])
      ]
  return words.map(typed).join(" ")
}

/** Shows the servers that a client has configured, each as the command that adds it here; nothing is changed or started. */
export const importing = (name: string) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const { home, settings } = yield* Configuration
    const { project } = yield* place
    const client = yield* clientOf(name)
    const files = client.files(home.user, project)
    if (files.length === 0) {
      return yield* new UsageError({
        reason: `${name} keeps its servers as TOML, which is not read; add each with tollgate mcp add.`
      })
    }
    let found = 0
    for (const file of files) {
      const servers = ConfigFile.at(yield* ConfigFile.read(file), [client.member])
      for (const [called, entry] of Object.entries(ConfigFile.isRecord(servers) ? servers : {})) {
        if (called === "tollgate") continue
        found++
        const made = foreignServer(called, uniform(entry))
        const there = settings.mcp?.servers !== undefined && Object.hasOwn(settings.mcp.servers, called)
        const line = Either.isLeft(made)
          ? `# ${called}: ${made.left}`
          : there
            ? `# ${called}: there is a server of that name already`
            : adding(made.right)
        yield* answer(`${makeVisible(line)}\n`)
        if (Either.isRight(made) && !there && Object.keys(made.right.given).length > 0)
          yield* answer(
            `${style.dim(makeVisible(`# export the variables that it takes; their values are in ${file}`))}\n`
          )
      }
    }
    if (found === 0) yield* answer(makeVisible(`# No MCP server in ${files.join(" or ")}.`) + "\n")
  }).pipe(Effect.provide(Screen.layer({ split: false })), Effect.provide(Configuration.layer()))
