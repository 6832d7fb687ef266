import * as Schema from "effect/Schema"
import { Timespan } from "../model/Timespan.ts"
import { parsed } from "../text/Url.ts"
import * as Touches from "../tool/Touches.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** The name of a server, which begins the names of its tools: no `__` in it, so that it can be told from the rest. */
export const ServerName = Schema.String.pipe(
  Schema.pattern(/^(?!.*__)[A-Za-z][A-Za-z0-9_-]{0,30}(?<!_)$/, {
    message: () =>
      "expected a name of at most 31 letters, digits, - and _ that begins with a letter, ends in none but a letter, a digit or -, and has no __"
  })
)

/** A variable of the user's environment, `env:GITHUB_TOKEN`: the configuration has its name, never its value. */
const Reference = Schema.String.pipe(
  Schema.pattern(/^env:[A-Za-z_][A-Za-z0-9_]*$/, {
    message: () => "expected a reference to a variable, e.g. env:GITHUB_TOKEN; values stay in the environment"
  })
)

/** The same behind a word such as `Bearer`. */
const HeaderReference = Schema.String.pipe(
  Schema.pattern(/^(?:[A-Za-z]+ )?env:[A-Za-z_][A-Za-z0-9_]*$/, {
    message: () => 'expected a reference to a variable, e.g. "Bearer env:GITHUB_TOKEN"; values stay in the environment'
  })
)

const VariableName = Schema.String.pipe(Schema.pattern(/^[A-Za-z_][A-Za-z0-9_]*$/))
const HeaderName = Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/))

/** What the user says of a tool of a server, by the name that the server gives it. */
export const ToolSettings = Schema.Struct({
  /** What its parameters touch; if unset a call is judged as a whole. */
  touches: optional(Touches.Configured),
  /** Whether a call needs consent where no rule says. Default: always. */
  approval: optional(Schema.Literal("never", "always")),
  readOnly: optional(Schema.Boolean),
  idempotent: optional(Schema.Boolean),
  risk: optional(Schema.Literal("low", "medium", "high")),
  /** Bytes of a result that a model reads. */
  resultLimit: optional(Schema.Int.pipe(Schema.positive()))
})
export type ToolSettings = typeof ToolSettings.Type

const common = {
  /** By the names that the server gives its tools. */
  tools: optional(Schema.Record({ key: Schema.NonEmptyString, value: ToolSettings })),
  timeouts: optional(
    Schema.Struct({
      /** Until it has answered the first request. Default: 10 seconds. */
      connect: optional(Timespan),
      /** Until it has listed what it offers. Default: 10 seconds. */
      list: optional(Timespan),
      /** The longest silence of a call, which progress ends. Default: 60 seconds. */
      idle: optional(Timespan),
      /** Of a whole call. Default: 10 minutes. */
      call: optional(Timespan)
    })
  ),
  /** What of a client of the gateway it may use besides forms. Both are deprecated by the protocol. */
  passes: optional(Schema.Array(Schema.Literal("sampling", "roots"))),
  /** It is configured and not used. */
  disabled: optional(Schema.Boolean)
}

/** A server that is a program of this machine. */
export const ProgramServer = Schema.Struct({
  /** The program and its arguments; no shell is involved. */
  command: Schema.NonEmptyArray(Schema.NonEmptyString),
  /** What it gets besides a fixed list of harmless variables. */
  env: optional(Schema.Record({ key: VariableName, value: Reference })),
  /** It runs in the sandbox: reads no credentials, writes in the workspace alone, and has no network unless it is given. */
  sandbox: optional(
    Schema.Union(
      Schema.Boolean,
      Schema.Struct({
        /** Default: false. */
        network: optional(Schema.Boolean),
        /** Whether it may write in the workspace. Default: true. */
        write: optional(Schema.Boolean)
      })
    )
  ),
  ...common
})
export type ProgramServer = typeof ProgramServer.Type

/** A server that is reached by HTTP. */
export const HttpServer = Schema.Struct({
  url: Schema.String.pipe(
    Schema.filter((text) => {
      const url = parsed(text)
      return (
        (url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") ||
        "expected an http or https URL without a login in it"
      )
    })
  ),
  headers: optional(Schema.Record({ key: HeaderName, value: HeaderReference })),
  /** How `tollgate mcp login` identifies itself; if unset it registers at the server's authorization server. */
  login: optional(
    Schema.Struct({
      /** Of a client that you have registered there. */
      clientId: optional(Schema.NonEmptyString),
      clientSecret: optional(Reference),
      /** Instead of what the server asks for. */
      scope: optional(Schema.NonEmptyString),
      /** Of this machine, to which the browser comes back; a free one if unset. */
      port: optional(Schema.Int.pipe(Schema.between(1, 65_535)))
    })
  ),
  ...common
})
export type HttpServer = typeof HttpServer.Type

/** An MCP server as the user configures it. */
export const McpServer = Schema.Union(ProgramServer, HttpServer)
export type McpServer = typeof McpServer.Type

/** Whether two servers cannot be told apart: the scheme of a URI knows no case, and it has the name of a server in it. */
export const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

export const McpServers = Schema.Record({ key: ServerName, value: McpServer }).pipe(
  Schema.filter((servers) => {
    const names = Object.keys(servers)
    const twin = names.find((name, i) => names.some((other, j) => j < i && isSameName(name, other)))
    return twin === undefined || `expected names that differ in more than the case of ${JSON.stringify(twin)}`
  })
)
export type McpServers = typeof McpServers.Type
