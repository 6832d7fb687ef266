import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as path from "node:path"
import { Configuration } from "../../config/Configuration.ts"
import * as DefaultStack from "../../gate/DefaultStack.ts"
import * as Toolset from "../../gate/Toolset.ts"
import { layerConfigured } from "../../host/Host.ts"
import * as Records from "../../host/Stores.ts"
import { spill, type Stack } from "../../host/Stack.ts"
import { Surroundings } from "../../host/Surroundings.ts"
import * as ClientPipes from "../../mcp/gateway/ClientPipes.ts"
import * as Downstream from "../../mcp/gateway/Downstream.ts"
import * as Gateway from "../../mcp/gateway/Gateway.ts"
import { Exchange } from "../../mcp/gateway/Exchange.ts"
import * as Left from "../../mcp/gateway/Left.ts"
import { allServers, noServer, oneServer, type View } from "../../mcp/gateway/Offered.ts"
import { Models } from "../../model/Models.ts"
import type { DynamicTool } from "../../tool/DynamicTool.ts"
import { newSecret } from "../../server/Secret.ts"
import { type Address, isLoopback } from "../../server/Address.ts"
import { Listening } from "../../server/Listening.ts"
import * as TokenFile from "../../server/TokenFile.ts"
import { tools as builtin } from "../../tools/Builtin.ts"
import { type PolicyOptions, policyOf } from "../approvalPolicy.ts"
import { hasTokens, listenAddress } from "../listenAddress.ts"
import { UsageError } from "../Outcome.ts"
import { Screen } from "../terminal/Screen.ts"
import { named } from "./slots.ts"

/** Clients give up after about a minute. */
const patience = Duration.seconds(50)

/** Tokens of definitions, beyond which clients search. */
const budget = 40_000

/** Bytes of a result, where the configuration says nothing. */
const longest = 100_000

export interface GatewayOptions extends PolicyOptions {
  /** Where to listen for clients over HTTP; standard input and output if unset. */
  readonly listen: Option.Option<string>
  readonly names: ReadonlyArray<string>
  /** The one server that is shown under its own names. */
  readonly server: Option.Option<string>
}

/** Serves the client that has started this program, until it closes standard input; nothing else is written to output. */
const overPipes = ({ factory, keep, stopping }: Effect.Effect.Success<ReturnType<typeof Downstream.make>>) =>
  Effect.gen(function* () {
    const { serveStdio } = yield* Effect.promise(() => import("@modelcontextprotocol/server/stdio"))
    const kept = (request: Parameters<typeof factory>[0]) => {
      const server = factory(request)
      const forget = keep(server)
      Object.assign(server, { onclose: forget })
      return server
    }
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        serveStdio(kept, { transport: ClientPipes.make(process.stdin, process.stdout, () => Effect.runSync(stopping)) })
      ),
      (handle) => Effect.zipRight(stopping, Effect.ignore(Effect.tryPromise(() => handle.close())))
    )
    yield* Effect.async<void>((resume) => {
      const ended = () => resume(Effect.void)
      process.stdin.once("close", ended).once("end", ended)
      process.stdout.once("error", ended)
    })
    // It ends before the sessions of the calls do.
  }).pipe(Effect.scoped)

/** Serves clients with a token over HTTP until it is stopped. */
const overHttp = (
  serving: Effect.Effect.Success<ReturnType<typeof Downstream.make>>,
  listen: Address,
  names: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const { layer } = yield* Effect.promise(() => import("../../mcp/gateway/Endpoint.ts"))
    const token = yield* newSecret
    const { home } = yield* Configuration
    yield* Effect.gen(function* () {
      const { answer, progress } = yield* Screen
      const { port, url } = yield* Listening
      const file = TokenFile.fileOf(path.dirname(home.database), port)
      yield* TokenFile.write(file, { url, token })
      yield* answer(`Listening on ${url}/mcp\n`)
      yield* progress(
        `Clients send Authorization: Bearer TOKEN, of tollgate tokens add NAME --scope operate; the token of this start is kept in ${file}\n`
      )
      return yield* Effect.ensuring(Effect.never, serving.stopping)
    }).pipe(Effect.scoped, Effect.provide(layer(serving, { listen, names, token })))
  }).pipe(Effect.provide(Screen.layer({ split: false })))

/** Serves one client, or those that reach an address. */
const served = ({ listen, names }: Pick<GatewayOptions, "listen" | "names">, view: View) =>
  Effect.gen(function* () {
    const { home, settings } = yield* Configuration
    const { directory } = yield* Surroundings
    const at = yield* Effect.transposeMapOption(listen, (text) => listenAddress(Option.some(text)))
    if (Option.isSome(at) && !isLoopback(at.value.host)) yield* hasTokens
    const gateway = yield* Gateway.make({
      directory,
      exchange: yield* Exchange,
      left: Left.make(home.database),
      hooked: (settings.hooks ?? []).length > 0,
      longest: settings.resultLimit ?? longest,
      spill: yield* spill
    })
    const limits = settings.mcp?.gateway ?? {}
    const serving = yield* Downstream.make({
      gateway,
      elicitation: limits.elicitation ?? "ordinary",
      patience: limits.patience ?? patience,
      budget: limits.budget ?? budget,
      view
    })
    yield* Option.match(at, {
      onNone: () => overPipes(serving),
      onSome: (address) => overHttp(serving, address, names)
    })
  }).pipe(Effect.scoped)

const startedByClient = ({ listen }: Pick<GatewayOptions, "listen">) =>
  Effect.suspend(() =>
    Option.isNone(listen) && process.stdin.isTTY
      ? new UsageError({
          reason:
            "This command speaks with an MCP client that has started it. See docs/mcp.md for how to set one up; --listen serves clients over HTTP."
        })
      : Effect.void
  )

/** Offers the tools of the user's MCP servers behind the gate. */
export const gateway = (options: GatewayOptions) =>
  Effect.gen(function* () {
    yield* startedByClient(options)
    yield* Effect.provide(Effect.transposeMapOption(options.server, named), Records.decided)
    const policy = yield* policyOf(options, true)
    const seal =
      ({ joined }: Exchange["Type"]) =>
      (stack: Stack, servers: ReadonlyArray<DynamicTool>, parts: ReadonlyArray<DynamicTool>) =>
        Toolset.make([...servers, ...parts].map(joined), { middleware: DefaultStack.make(stack) })
    const host = Layer.unwrapEffect(
      Effect.map(Exchange, (exchange) =>
        layerConfigured({ policy, attended: true }, seal(exchange), Models.layerOf({}))
      )
    )
    const view = Option.match(options.server, { onNone: () => allServers, onSome: oneServer })
    yield* Effect.provide(served(options, view), Layer.provideMerge(host, Exchange.layer))
  }).pipe(Effect.provide(Configuration.layer()))

/** What a program may call of Tollgate's own tools. */
const own = builtin.flatMap((tool) => (tool.location === "server" ? [{ ...tool, mode: "both" as const }] : []))

/** Offers Tollgate's own tools behind the gate. */
export const serve = (options: Omit<GatewayOptions, "server">) =>
  Effect.gen(function* () {
    yield* startedByClient(options)
    const policy = yield* policyOf(options, true)
    const seal = (stack: Stack) => Toolset.make(own, { middleware: DefaultStack.make(stack) })
    const host = layerConfigured({ policy, attended: true }, seal, Models.layerOf({}))
    yield* Effect.provide(served(options, noServer), Layer.merge(host, Exchange.layer))
  }).pipe(Effect.provide(Configuration.layer()))
