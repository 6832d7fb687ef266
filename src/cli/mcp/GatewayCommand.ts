import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Configuration } from "../../config/Configuration.ts"
import * as DefaultStack from "../../gate/DefaultStack.ts"
import * as Toolset from "../../gate/Toolset.ts"
import { layerConfigured } from "../../host/Host.ts"
import type { Stack } from "../../host/Stack.ts"
import { Surroundings } from "../../host/Surroundings.ts"
import * as Downstream from "../../mcp/gateway/Downstream.ts"
import * as Gateway from "../../mcp/gateway/Gateway.ts"
import { Results } from "../../mcp/gateway/Results.ts"
import { Models } from "../../model/Models.ts"
import type { DynamicTool } from "../../tool/DynamicTool.ts"
import { tools as builtin } from "../../tools/Builtin.ts"
import { type PolicyOptions, policyOf } from "../approvalPolicy.ts"
import { UsageError } from "../Outcome.ts"

/** Clients give up after about a minute. */
const patience = Duration.seconds(50)

/** Tokens of definitions, beyond which clients search. */
const budget = 40_000

/** Characters of a result, where the configuration says nothing. */
const longest = 100_000

/** Serves a client over standard input and output, until it closes those; nothing else is written there. */
const served = Effect.gen(function* () {
  const { settings } = yield* Configuration
  const { directory } = yield* Surroundings
  const results = yield* Results
  const gateway = yield* Gateway.make({
    directory,
    by: "mcp client",
    results,
    longest: settings.resultLimit ?? longest
  })
  const limits = settings.mcp?.gateway ?? {}
  const { factory } = yield* Downstream.make({
    gateway,
    elicitation: limits.elicitation ?? "ordinary",
    patience: limits.patience ?? patience,
    budget: limits.budget ?? budget
  })
  const { serveStdio } = yield* Effect.promise(() => import("@modelcontextprotocol/server/stdio"))
  yield* Effect.acquireRelease(
    Effect.sync(() => serveStdio(factory)),
    (handle) => Effect.ignore(Effect.tryPromise(() => handle.close()))
  )
  yield* Effect.async<void>((resume) => {
    process.stdin.once("close", () => resume(Effect.void)).once("end", () => resume(Effect.void))
  })
}).pipe(Effect.scoped)

const startedByClient = Effect.suspend(() =>
  process.stdin.isTTY
    ? new UsageError({
        reason: "This command speaks with an MCP client that has started it. See docs/mcp.md for how to set one up."
      })
    : Effect.void
)

/** Offers the tools of the user's MCP servers behind the gate. */
export const gateway = (options: PolicyOptions) =>
  Effect.gen(function* () {
    yield* startedByClient
    const policy = yield* policyOf(options, true)
    const seal = (results: Results["Type"]) => (stack: Stack, servers: ReadonlyArray<DynamicTool>) =>
      Toolset.make(servers.map(results.keeping), { middleware: DefaultStack.make(stack) })
    const host = Layer.unwrapEffect(
      Effect.map(Results, (results) => layerConfigured({ policy, attended: true }, seal(results), Models.layerOf({})))
    )
    yield* Effect.provide(served, Layer.provideMerge(host, Results.layer))
  }).pipe(Effect.provide(Configuration.layer()))

/** What a program may call of Tollgate's own tools. */
const own = builtin.flatMap((tool) => (tool.location === "server" ? [{ ...tool, mode: "both" as const }] : []))

/** Offers Tollgate's own tools behind the gate. */
export const serve = (options: PolicyOptions) =>
  Effect.gen(function* () {
    yield* startedByClient
    const policy = yield* policyOf(options, true)
    const seal = (stack: Stack) => Toolset.make(own, { middleware: DefaultStack.make(stack) })
    const host = layerConfigured({ policy, attended: true }, seal, Models.layerOf({}))
    yield* Effect.provide(served, Layer.merge(host, Results.layer))
  }).pipe(Effect.provide(Configuration.layer()))
