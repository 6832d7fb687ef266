import type {
  CallToolRequest,
  InputRequiredResult,
  McpRequestContext,
  RequestStateCodec,
  Server,
  ServerContext
} from "@modelcontextprotocol/server"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as Schedule from "effect/Schedule"
import * as crypto from "node:crypto"
import { makeVisible } from "../../text/visible.ts"
import { version } from "../../version.ts"
import type { CallResult } from "../Connection.ts"
import type { Gateway } from "./Gateway.ts"
import * as Offered from "./Offered.ts"
import * as Parts from "./Parts.ts"
import { answerOf, type Elicitation, pendingText, questionOf } from "./Question.ts"
import type { Running } from "./Running.ts"
import { search, standIns, tokensOf } from "./Search.ts"

export interface DownstreamOptions {
  readonly gateway: Gateway
  readonly elicitation: Elicitation
  /** How long a call waits for a person before its client is told so; less than clients wait for an answer. */
  readonly patience: Duration.Duration
  /** Tokens of definitions that clients get; beyond them they search. */
  readonly budget: number
}

/** What a client must give back to answer a request: signed, for a while, once. */
interface State {
  readonly key: string
  readonly approval: string
  readonly nonce: string
}

const ttlSeconds = 600

/** How often a client hears of a call that goes on. */
const pulse = "5 seconds"

/** States that were used. */
const mostUsed = 10_000

/** What a call is answered with: its result, or a question that comes first. */
type Answered = CallResult | InputRequiredResult

const failed = (text: string): CallResult => ({ content: [{ type: "text", text: makeVisible(text) }], isError: true })

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a client can show a form to its user. */
const canElicit = (server: Server, ctx: ServerContext, key: string): boolean => {
  const envelope: unknown = ctx.mcpReq.envelope
  const own = isRecord(envelope) ? envelope[key] : undefined
  const capabilities: unknown = isRecord(own) ? own : server.getClientCapabilities()
  if (!isRecord(capabilities)) return false
  const { elicitation } = capabilities
  return isRecord(elicitation) && (elicitation["form"] !== undefined || Object.keys(elicitation).length === 0)
}

/** Makes the servers that clients speak with, one for each connection or request. */
export const make = ({ budget, elicitation, gateway, patience }: DownstreamOptions) =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime()
    const library = yield* Effect.promise(() => import("@modelcontextprotocol/server"))
    const codec: RequestStateCodec<State> = library.createRequestStateCodec({ key: crypto.randomBytes(32), ttlSeconds })
    const used = new Set<string>()
    const current = Effect.scoped(gateway.project)
    const offered = Effect.flatMap(current, Offered.tools)

    /** The answer to a question of ours that came with the repeated call. */
    const answered = (ctx: ServerContext, key: string, running: Running) =>
      Effect.suspend(() => {
        const state = ctx.mcpReq.requestState<State>()
        const reply = library.inputResponse(ctx.mcpReq.inputResponses, "approval")
        const request = running.open()
        if (state === undefined || reply.kind !== "elicit" || request === undefined) return Effect.void
        if (state.key !== key || state.approval !== request.id || used.has(state.nonce)) return Effect.void
        if (used.size >= mostUsed) used.clear()
        used.add(state.nonce)
        const answer = answerOf(reply)
        return answer === undefined ? Effect.void : gateway.decide(running, request, answer)
      })

    /** Tells the client of progress, if it wants to hear of it. */
    const pulsing = (ctx: ServerContext, running: Running) => {
      const progressToken = ctx.mcpReq._meta?.progressToken
      if (progressToken === undefined) return Effect.never
      let beat = 0
      const tell = Effect.suspend(() => {
        const known = running.progress()
        const params = known ?? {
          progress: ++beat,
          message: running.open() === undefined ? "running" : "waiting for approval"
        }
        return Effect.ignore(
          Effect.tryPromise(() =>
            ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, ...params } })
          )
        )
      })
      return Effect.zipRight(Effect.repeat(Effect.delay(tell, pulse), Schedule.forever), Effect.never)
    }

    const waited = (running: Running): Effect.Effect<CallResult> =>
      Effect.flatMap(
        Effect.timeoutOption(Effect.interruptible(running.ended), patience),
        (end): Effect.Effect<CallResult> => {
          if (end._tag === "Some") return Effect.succeed(gateway.resultOf(running, end.value))
          const request = running.open()
          // It runs, and what runs has limits of its own.
          if (request === undefined) return Effect.map(running.ended, (late) => gateway.resultOf(running, late))
          running.detached = true
          return Effect.succeed(failed(pendingText(request)))
        }
      )

    const called = (
      server: Server,
      era: McpRequestContext["era"],
      ctx: ServerContext,
      tool: string,
      parameters: unknown
    ) =>
      Effect.gen(function* () {
        const key = yield* gateway.keyOf(tool, parameters)
        const running = yield* gateway.begin(key, tool, parameters)
        yield* answered(ctx, key, running)
        const result = Effect.gen(function* () {
          const open = running.open()
          const first = open ?? (yield* Effect.raceFirst(running.asked, Effect.as(running.ended, undefined)))
          const request = running.open() ?? first
          const question = request === undefined || running.isOver() ? undefined : questionOf(request, elicitation)
          const asks =
            question !== undefined &&
            ctx.mcpReq.inputResponses?.["approval"] === undefined &&
            canElicit(server, ctx, library.CLIENT_CAPABILITIES_META_KEY)
          if (!asks || request === undefined) return yield* waited(running)
          if (era === "modern") {
            const state = { key, approval: request.id, nonce: crypto.randomUUID() }
            const requestState = yield* Effect.promise(() => codec.mint(state, ctx))
            running.detached = true
            return library.inputRequired({
              inputRequests: { approval: library.inputRequired.elicit(question) },
              requestState
            })
          }
          const asked = Effect.tryPromise((signal) =>
            ctx.mcpReq.elicitInput(question, { signal, timeout: Duration.toMillis(patience) })
          ).pipe(
            Effect.option,
            Effect.flatMap((reply) => {
              const answer = reply._tag === "Some" ? answerOf(reply.value) : undefined
              return answer === undefined ? Effect.never : gateway.decide(running, request, answer)
            }),
            Effect.zipRight(Effect.never)
          )
          return yield* Effect.raceFirst(waited(running), asked)
        })
        return yield* Effect.raceFirst(result, pulsing(ctx, running)).pipe(
          Effect.onInterrupt(() => (running.detached ? Effect.void : running.cancel))
        )
      }).pipe(Effect.catchTag("CallRefused", ({ message }) => Effect.succeed(failed(message))))

    const meant = (
      all: ReadonlyArray<Offered.OfferedTool>,
      { arguments: given = {}, name }: CallToolRequest["params"]
    ) => {
      if (tokensOf(all) <= budget) return { tool: name, parameters: given }
      if (name === "call_tool") {
        const { arguments: parameters = {}, name: tool } = given
        return { tool: typeof tool === "string" ? tool : "", parameters }
      }
      return name === "search_tools" ? { query: String(given["query"] ?? "") } : { tool: name, parameters: given }
    }

    const factory = ({ era }: McpRequestContext): Server => {
      const server = new library.Server(
        { name: "tollgate", version },
        {
          capabilities: { tools: { listChanged: true }, prompts: {}, resources: {} },
          requestState: { verify: codec.verify }
        }
      )
      const answer = <A, E extends { readonly message: string }>(self: Effect.Effect<A, E>, signal: AbortSignal) =>
        Runtime.runPromise(runtime)(
          Effect.mapError(
            self,
            ({ message }) => new library.ProtocolError(library.ProtocolErrorCode.InternalError, message)
          ),
          { signal }
        )
      server.setRequestHandler("tools/list", (_, ctx) =>
        answer(
          Effect.map(offered, (all) => ({ tools: [...(tokensOf(all) <= budget ? all : standIns)] as never })),
          ctx.mcpReq.signal
        )
      )
      server.setRequestHandler("tools/call", ({ params }, ctx) =>
        answer(
          Effect.flatMap(offered, (all): Effect.Effect<Answered> => {
            const { parameters, query, tool } = {
              parameters: undefined,
              query: undefined,
              tool: "",
              ...meant(all, params)
            }
            if (query === undefined) return called(server, era, ctx, tool, parameters)
            const found = search(all, query)
            const text = found.length === 0 ? "No tool has these words." : JSON.stringify(found, null, 2)
            return Effect.succeed({ content: [{ type: "text" as const, text }] })
          }),
          ctx.mcpReq.signal
        )
      )
      const parts = Effect.flatMap(current, Parts.make)
      server.setRequestHandler("prompts/list", (_, ctx) =>
        answer(
          Effect.map(
            Effect.flatMap(parts, ({ prompts }) => prompts),
            (prompts) => ({ prompts: prompts as never })
          ),
          ctx.mcpReq.signal
        )
      )
      server.setRequestHandler("prompts/get", ({ params }, ctx) =>
        answer(
          Effect.flatMap(parts, ({ prompt }) => prompt(params.name, params.arguments)),
          ctx.mcpReq.signal
        )
      )
      server.setRequestHandler("resources/list", (_, ctx) =>
        answer(
          Effect.map(
            Effect.flatMap(parts, ({ resources }) => resources),
            (resources) => ({ resources })
          ),
          ctx.mcpReq.signal
        )
      )
      server.setRequestHandler("resources/templates/list", (_, ctx) =>
        answer(
          Effect.map(
            Effect.flatMap(parts, ({ templates }) => templates),
            (resourceTemplates) => ({ resourceTemplates })
          ),
          ctx.mcpReq.signal
        )
      )
      server.setRequestHandler("resources/read", ({ params }, ctx) =>
        answer(
          Effect.flatMap(parts, ({ read }) => read(params.uri)),
          ctx.mcpReq.signal
        )
      )
      return server
    }
    return { factory, library }
  })
