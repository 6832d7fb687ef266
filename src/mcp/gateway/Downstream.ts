import type {
  CallToolRequest,
  McpRequestContext,
  RequestStateCodec,
  Server,
  ServerContext,
  ServerNotifier
} from "@modelcontextprotocol/server"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import { Redactor } from "../../redaction/Redactor.ts"
import { version } from "../../version.ts"
import { ServerRefused } from "../McpError.ts"
import type { ServerNews } from "../Servers.ts"
import { fitting, type Fitting } from "../fitting.ts"
import { pagesNeeded } from "../Inquiry.ts"
import { disguisedData, plain } from "../ProtoName.ts"
import * as Calls from "./Calls.ts"
import type { Gateway } from "./Gateway.ts"
import * as Offered from "./Offered.ts"
import * as Parts from "./Parts.ts"
import { hasLinks, withLinks } from "./links.ts"
import type { Elicitation } from "./Question.ts"
import { redacted } from "./redacted.ts"
import * as Watching from "./Watching.ts"
import { search, searchTools, standIns, tokensOf } from "./Search.ts"

export interface DownstreamOptions {
  readonly gateway: Gateway
  readonly elicitation: Elicitation
  /** How long a call waits for a person before its client is told so; less than clients wait for an answer. */
  readonly patience: Duration.Duration
  /** Tokens of definitions that clients get; beyond them they search. */
  readonly budget: number
  readonly view: Offered.View
}

const ttlSeconds = 600

/** Who speaks where no token names them. */
const anyClient = "mcp client"

const isRefused = Schema.is(ServerRefused)

/** What a client that asks for a tool means, where it sees all tools or two that stand for them. */
const meant = (
  all: ReadonlyArray<{ readonly definition: Offered.OfferedTool }>,
  budget: number,
  { arguments: given = {}, name }: CallToolRequest["params"]
): { readonly name: string; readonly parameters: unknown } | { readonly query: string } => {
  if (tokensOf(all.map(({ definition }) => definition)) <= budget) return { name, parameters: given }
  if (name === searchTools.name) return { query: String(given["query"] ?? "") }
  const { arguments: parameters = {}, name: tool } = given
  return { name: typeof tool === "string" ? tool : "", parameters }
}

const isStandIn = (name: string): boolean => standIns.some((tool) => tool.name === name)

/** Makes the servers that clients speak with, one for each connection or request. */
export const make = (options: DownstreamOptions) =>
  Effect.gen(function* () {
    const { budget, gateway, view } = options
    const runtime = yield* Effect.runtime()
    const without = redacted(yield* Redactor)
    const library = yield* Effect.promise(() => import("@modelcontextprotocol/server"))
    const codec: RequestStateCodec<Calls.State> = library.createRequestStateCodec({
      key: crypto.randomBytes(32),
      ttlSeconds
    })
    const calls = Calls.make({ ...options, library, codec })
    const current = gateway.project
    const offered = Effect.flatMap(current, (project) => Offered.tools(project, view))
    const parts = Effect.flatMap(current, (project) => Parts.make(project, view))
    const fits = new WeakMap<object, Fitting>()
    const fit = (schema: object): Fitting => {
      const known = fits.get(schema) ?? fitting(schema)
      fits.set(schema, known)
      return known
    }
    /**
     * A result as its tool has promised it, also where secrets were taken out of it; data that are no object as the era has them, and
     * resources under the URIs that they have here.
     */
    const promised = (server: Server, tool: string, result: Calls.Answered) =>
      library.isInputRequiredResult(result) || (result.structuredContent === undefined && !hasLinks(result))
        ? Effect.succeed(result)
        : Effect.map(
            // Its call has run, also where its project is gone by now.
            Effect.orElseSucceed(
              Effect.flatMap(current, (project) => Offered.toolPart(project, view, tool)),
              () => undefined
            ),
            (part) => {
              if (part === undefined) return result
              const linked = withLinks(result, (uri) => view.uri(part.slot.known.name, uri))
              const schema = part.offer.definition["outputSchema"]
              return Predicate.isReadonlyRecord(schema) && linked.structuredContent !== undefined
                ? server.projectCallToolResult(fit(schema)(linked), schema)
                : linked
            }
          )
    const open = new Set<Server>()
    const watching = Watching.make<Server>()
    /** Requests that each has not answered yet. */
    const unanswered = new WeakMap<Server, number>()

    /** Tells connections that stay what has changed. */
    const told = (server: Server, news: ServerNews): Promise<void> => {
      switch (news.kind) {
        case "tools":
          return server.sendToolListChanged()
        case "prompts":
          return server.sendPromptListChanged()
        case "resources":
          return server.sendResourceListChanged()
        case "resource": {
          const uri = view.uri(news.server, news.uri)
          const isHeard = view.shows(news.server) && watching.isWatched(server, uri)
          return isHeard ? server.sendResourceUpdated({ uri }) : Promise.resolve()
        }
      }
    }
    const unfollow = gateway.follow((news) => {
      for (const server of open) told(server, news).catch(() => {})
    })
    yield* Effect.addFinalizer(() => Effect.sync(unfollow))

    const factory = ({ authInfo, era }: Pick<McpRequestContext, "authInfo" | "era">): Server => {
      const by = authInfo === undefined ? anyClient : `${anyClient} ${authInfo.clientId}`
      const server = new library.Server(
        { name: "tollgate", version },
        {
          capabilities: {
            tools: { listChanged: true },
            prompts: { listChanged: true },
            // A later revision listens for resources without a request that their servers could be asked by.
            resources: { listChanged: true, subscribe: era === "legacy" },
            completions: {},
            logging: {}
          },
          requestState: { verify: codec.verify }
        }
      )
      const count = (by: number) => void unanswered.set(server, (unanswered.get(server) ?? 0) + by)
      /** Why there is no answer; a page opens only by the whole of its URL. */
      const refused = (error: { readonly message: string }) => {
        const reason = without(error.message)
        return isRefused(error)
          ? new library.ProtocolError(error.code, reason, error.code === pagesNeeded ? error.data : without(error.data))
          : new library.ProtocolError(library.ProtocolErrorCode.InternalError, reason)
      }
      const answer = <A, E extends { readonly message: string }>(self: Effect.Effect<A, E>, ctx: ServerContext) => {
        count(1)
        return Runtime.runPromise(runtime)(Effect.either(self), { signal: ctx.mcpReq.signal })
          .finally(() => count(-1))
          .then(Either.getOrThrowWith(refused))
          .then(disguisedData)
      }
      const call = (ctx: ServerContext, tool: string, parameters: unknown) =>
        calls.called({ server, era, ctx, by, tool, parameters })
      server.setRequestHandler("tools/list", (_, ctx) =>
        answer(
          Effect.map(offered, (all) => {
            const definitions = all.map(({ definition }) => definition)
            return { tools: [...(tokensOf(definitions) <= budget ? definitions : standIns)] as never }
          }),
          ctx
        )
      )
      server.setRequestHandler("tools/call", ({ params }, ctx) =>
        answer(
          Effect.gen(function* () {
            // What is offered is made only for a name that may mean something else: every call comes by here.
            const wanted = isStandIn(params.name)
              ? meant(yield* offered, budget, plain(params))
              : { name: params.name, parameters: plain(params.arguments ?? {}) }
            if (!("query" in wanted)) {
              const tool = Offered.gateName(view, wanted.name)
              return yield* promised(server, tool, yield* call(ctx, tool, wanted.parameters))
            }
            const found = search(
              (yield* offered).map(({ definition }) => definition),
              wanted.query
            )
            const text = found.length === 0 ? "No tool has these words." : JSON.stringify(found, null, 2)
            return { content: [{ type: "text" as const, text }] }
          }),
          ctx
        )
      )
      server.setRequestHandler("prompts/list", (_, ctx) =>
        answer(
          Effect.map(
            Effect.flatMap(parts, ({ prompts }) => prompts),
            (prompts) => ({ prompts: prompts as never })
          ),
          ctx
        )
      )
      /** What a call gave where no tool was asked for: the result of the server, or why there is none. */
      const partOf = (ctx: ServerContext, { parameters, tool }: Parts.PartCall) =>
        Effect.flatMap(call(ctx, tool, parameters), (result) =>
          library.isInputRequiredResult(result) || result.isError !== true
            ? Effect.succeed(result)
            : new ServerRefused({ code: library.ProtocolErrorCode.InternalError, reason: Calls.saidOf(result) })
        )
      server.setRequestHandler("prompts/get", ({ params }, ctx) =>
        answer(
          Effect.flatMap(
            Effect.flatMap(parts, ({ prompt }) => prompt(params.name, plain(params.arguments))),
            (part) => Effect.map(partOf(ctx, part), (result) => withLinks(result, (uri) => view.uri(part.server, uri)))
          ) as Effect.Effect<never, ServerRefused>,
          ctx
        )
      )
      server.setRequestHandler("resources/list", (_, ctx) =>
        answer(
          Effect.map(
            Effect.flatMap(parts, ({ resources }) => resources),
            (resources) => ({ resources })
          ),
          ctx
        )
      )
      server.setRequestHandler("resources/templates/list", (_, ctx) =>
        answer(
          Effect.map(
            Effect.flatMap(parts, ({ templates }) => templates),
            (resourceTemplates) => ({ resourceTemplates })
          ),
          ctx
        )
      )
      server.setRequestHandler("resources/read", ({ params }, ctx) =>
        answer(
          Effect.gen(function* () {
            const part = yield* (yield* parts).resource(params.uri)
            const result: unknown = yield* partOf(ctx, part)
            return Calls.withUris(result, (uri) => view.uri(part.server, uri))
          }) as Effect.Effect<never, ServerRefused>,
          ctx
        )
      )
      server.setRequestHandler("completion/complete", ({ params }, ctx) =>
        answer(
          Effect.flatMap(parts, ({ complete }) => complete(plain(params))),
          ctx
        )
      )
      if (era === "legacy") {
        for (const [method, on] of [
          ["resources/subscribe", true],
          ["resources/unsubscribe", false]
        ] as const)
          server.setRequestHandler(method, ({ params }, ctx) =>
            answer(
              Effect.as(
                watching.watch(
                  server,
                  params.uri,
                  on,
                  Effect.flatMap(parts, ({ watch }) => watch(params.uri, on))
                ),
                {}
              ),
              ctx
            )
          )
      }
      return server
    }
    return {
      factory,
      library,
      stopping: gateway.stopping,
      /** Whether a server has requests to answer, also those whose connection is lost. */
      isBusy: (server: Server) => (unanswered.get(server) ?? 0) > 0,
      /** Tells a bus of subscriptions what has changed, until the returned function is called. */
      follow: (bus: ServerNotifier) =>
        gateway.follow((news) => {
          if (news.kind === "tools") bus.toolsChanged()
          else if (news.kind === "prompts") bus.promptsChanged()
          else if (news.kind === "resources") bus.resourcesChanged()
        }),
      /** The server of a connection that stays is told of changes, until the returned function is called. */
      keep: (server: Server) => {
        open.add(server)
        return () => {
          open.delete(server)
          watching.forget(server)
        }
      }
    }
  })
