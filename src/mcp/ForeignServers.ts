import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { KnownServer } from "./KnownServer.ts"
import { HttpServer, isSameName, type McpServer, ProgramServer, ServerName } from "./McpServer.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
const Texts = Schema.Record({ key: Schema.String, value: Schema.String })

/** A server as `mcpServers` of other programs have it. */
const Foreign = Schema.Struct({
  command: optional(Schema.NonEmptyString),
  args: optional(Schema.Array(Schema.String)),
  env: optional(Texts),
  url: optional(Schema.NonEmptyString),
  type: optional(Schema.String),
  transport: optional(Schema.String),
  headers: optional(Texts)
})

const decodeName = Schema.decodeUnknownOption(ServerName)
const decodeForeign = Schema.decodeUnknownOption(Foreign)
const decodeProgram = Schema.decodeUnknownOption(ProgramServer)
const decodeHttp = Schema.decodeUnknownOption(HttpServer)

/** A server that another program's file describes, without what is said of it there by value. */
export interface ForeignServer {
  readonly name: string
  readonly server: McpServer
  /** Its variables or headers as they are spelled out there. */
  readonly given: Readonly<Record<string, string>>
}

/** `${VAR}` in a file stands for a value of the user's environment. */
export const expands = (text: string): boolean => /\$\{|^\$[A-Za-z_]/.test(text)

/** The server that an entry describes, or why there is none. */
export const foreignServer = (name: string, entry: unknown): Either.Either<ForeignServer, string> => {
  if (Option.isNone(decodeName(name))) return Either.left("its name is not one that Tollgate takes")
  const found = decodeForeign(entry)
  if (Option.isNone(found)) return Either.left("it is not a server with a command or a url")
  const { args = [], command, env = {}, headers = {}, transport, type = transport, url } = found.value
  if (type === "sse")
    return Either.left(
      "it is reached by HTTP+SSE, which Tollgate does not speak; if it has a URL for Streamable HTTP, add that"
    )
  if (command !== undefined) {
    // No word of a command, and no variable, has the character that ends it.
    if ([command, ...args, ...Object.entries(env).flat()].some((word) => word.includes("\0")))
      return Either.left("its command or a variable of it has a NUL character")
    if (Object.keys(env).some((variable) => variable === "" || variable.includes("=")))
      return Either.left("a variable of it has a name that no process can have")
    const made = decodeProgram({ command: [command, ...args] })
    return Option.isNone(made)
      ? Either.left("its command cannot be used")
      : Either.right({ name, server: made.value, given: env })
  }
  const made = decodeHttp({ url })
  return Option.isNone(made)
    ? Either.left("it has neither a command nor a usable url")
    : Either.right({ name, server: made.value, given: headers })
}

const File = Schema.parseJson(
  Schema.Struct({ mcpServers: Schema.Record({ key: Schema.String, value: Schema.Unknown }) })
)
const decodeFile = Schema.decodeUnknownEither(File)

/** The servers of a project, and what of its file cannot be used. */
export interface ProjectServers {
  readonly servers: ReadonlyArray<KnownServer>
  readonly problems: ReadonlyArray<string>
}

/** What the `.mcp.json` of a project says; none of its values reach into the user's environment. */
export const projectServers = (text: string): ProjectServers => {
  const file = decodeFile(text)
  if (Either.isLeft(file)) return { servers: [], problems: [".mcp.json is not a JSON object with mcpServers"] }
  const servers: Array<KnownServer> = []
  const problems: Array<string> = []
  for (const [name, entry] of Object.entries(file.right.mcpServers)) {
    const found = foreignServer(name, entry)
    const called = JSON.stringify(name.slice(0, 80))
    if (Either.isLeft(found)) problems.push(`server ${called}: ${found.left}`)
    else {
      const { given, server } = found.right
      const words = [...Object.values(given), ...("command" in server ? server.command : [server.url])]
      if (words.some(expands))
        problems.push(
          `server ${called}: it takes values of your environment, which only your own configuration can give it`
        )
      else if (servers.some((other) => isSameName(other.name, name)))
        problems.push(`server ${called}: its name differs from that of another in case alone`)
      else servers.push({ name, origin: "project", server, given })
    }
  }
  return { servers, problems }
}
