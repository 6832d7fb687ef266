import type { GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { untrusted } from "../redaction/untrusted.ts"
import { lazy } from "../system/lazy.ts"
import * as DynamicTool from "../tool/DynamicTool.ts"
import { type Decode, issue, type Issue } from "../tool/Parameters.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { ToolResult } from "../tool/ToolResult.ts"
import { type PathTouch, type Touches, touchesOf } from "../tool/Touches.ts"
import { Addressee, patiently } from "./Audience.ts"
import { checked } from "./checked.ts"
import { filesOf, isPlain } from "../text/FileUri.ts"
import { isProgram } from "./KnownServer.ts"
import { NotApproved } from "./McpError.ts"
import { openResource } from "./openResource.ts"
import type { ServerSlot } from "./ServerSlot.ts"
import { previewOf, refused, stillOpen } from "./touched.ts"
import type { TouchPolicy } from "./TouchPolicy.ts"

/** The tools that stand for the prompts and resources of all servers; no tool of a server has such a name. */
export const promptTool = "get_mcp_prompt"
export const resourceTool = "read_mcp_resource"

const text = (params: unknown, name: string): string => {
  const value = Predicate.isReadonlyRecord(params) ? params[name] : undefined
  return typeof value === "string" ? value : ""
}

const required = (more: Readonly<Record<string, unknown>>) => ({
  type: "object",
  properties: { server: { type: "string" }, ...more },
  required: ["server", ...Object.keys(more).filter((name) => name !== "arguments")],
  additionalProperties: false
})

/** The files that a resource of a program of this machine may be. */
const pathsOf = (slot: ServerSlot | undefined, uri: string): ReadonlyArray<PathTouch> =>
  slot === undefined || !isProgram(slot.known.server) ? [] : filesOf(uri).map((path) => ({ path, op: "read" }))

interface Part {
  readonly description: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly touches: (params: unknown) => Touches
  /** What is wrong with parameters that fit the schema. */
  readonly problem?: (params: unknown) => Issue | undefined
  readonly run: (params: unknown, call: ToolCall) => Effect.Effect<unknown, { readonly message: string }>
}

/** A call that only reads, and is asked about where what it touches is. */
const made = (
  name: string,
  { description, problem = () => undefined, properties, run, touches }: Part,
  policy: TouchPolicy
): DynamicTool.DynamicTool => {
  const jsonSchema = required(properties)
  const tool = DynamicTool.make(name, {
    description,
    label: name,
    category: "mcp",
    mode: "manual",
    jsonSchema,
    readOnly: true,
    risk: "low",
    approval: "always",
    timeout: "10 minutes",
    idleTimeout: "60 seconds",
    touches,
    handler: (params, call) =>
      Effect.zipRight(
        stillOpen(policy, params, call),
        Effect.mapError(run(params, call), ({ message }) => refused(name, message))
      )
  })
  const asks = (params: unknown) =>
    Effect.suspend(() => {
      const found = touchesOf(tool.touches, params)
      const { decision, reason } = policy.judge(found ?? {})
      return decision === "deny" ? refused(name, reason) : Effect.succeed(decision === "ask")
    })
  const words = (result: unknown) =>
    Either.right(new ToolResult(result, untrusted("an MCP server", JSON.stringify(result))))
  const decode = (): Decode => {
    const fits = checked(jsonSchema)
    return (raw) =>
      Either.flatMap(fits(raw), (params) => {
        const found = problem(params)
        return found === undefined ? Either.right(params) : Either.left([found])
      })
  }
  return {
    ...tool,
    approval: asks,
    asks: true,
    preview: previewOf(policy, tool),
    codec: { ...tool.codec, decode: lazy(decode), encode: lazy(() => words) }
  }
}

/** The prompts and resources of servers as calls, with the rules, hooks, limits and audit of any other. */
export const make = (slots: ReadonlyArray<ServerSlot>, policy: TouchPolicy): ReadonlyArray<DynamicTool.DynamicTool> => {
  const slotOf = (params: unknown) => slots.find(({ known }) => known.name === text(params, "server"))
  const trusted = (params: unknown) => {
    const slot = slotOf(params)
    return slot === undefined
      ? new NotApproved({ server: text(params, "server").slice(0, 80), name: "It", state: "unknown" })
      : Effect.succeed(slot)
  }
  const addressee = (call: ToolCall) => Effect.map(Addressee, (given) => patiently(call, given))
  const prompt: Part = {
    description: "Gets a prompt of an MCP server.",
    properties: {
      name: { type: "string" },
      arguments: { type: "object", additionalProperties: { type: "string" } }
    },
    touches: (params) => ({ names: [`prompt ${text(params, "name")} of MCP server ${text(params, "server")}`] }),
    run: (params, call) =>
      Effect.gen(function* () {
        const slot = yield* trusted(params)
        const name = text(params, "name")
        const standing = Effect.map(slot.standings, (all) =>
          all.find((one) => one.kind === "prompt" && one.name === name)
        )
        const before = yield* standing
        const { connection } = yield* slot.acquire
        // The running server may offer another one than the list that was known before.
        const now = yield* standing
        if (now?.state !== "approved" || before?.digest !== now.digest) {
          const state = now === undefined ? "gone" : now.state === "approved" ? "changed" : now.state
          return yield* new NotApproved({ server: slot.known.name, name, state })
        }
        const given = Predicate.isReadonlyRecord(params) ? params["arguments"] : undefined
        return yield* slot.during(
          connection.request<GetPromptResult>(
            `prompts/get ${name}`,
            (client, options, round) =>
              client.getPrompt(
                { name, ...(given === undefined ? {} : { arguments: given as Record<string, string> }), ...round },
                options
              ),
            yield* addressee(call)
          )
        )
      })
  }
  const resource: Part = {
    description: "Reads a resource of an MCP server.",
    properties: { uri: { type: "string" } },
    touches: (params) => {
      const uri = text(params, "uri")
      const paths = pathsOf(slotOf(params), uri)
      return {
        names: [`resource ${uri} of MCP server ${text(params, "server")}`],
        ...(paths.length > 0 && { paths })
      }
    },
    problem: (params) =>
      isPlain(text(params, "uri"))
        ? undefined
        : issue("uri", "has control characters, or blanks at its ends, which no URI has"),
    run: (params, call) =>
      Effect.gen(function* () {
        const slot = yield* trusted(params)
        const uri = text(params, "uri")
        const { connection } = yield* openResource(slot, uri)
        return yield* slot.during(
          connection.request<ReadResourceResult>(
            "resources/read",
            (client, options, round) => client.readResource({ uri, ...round }, options),
            yield* addressee(call)
          )
        )
      })
  }
  return [made(promptTool, prompt, policy), made(resourceTool, resource, policy)]
}
