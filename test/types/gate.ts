// @effect-diagnostics missingEffectError:off missingEffectContext:off floatingEffect:off anyUnknownInErrorContext:off - what must not compile is part of the test
import * as Ai from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import { Context, Effect, type Layer, Schema } from "effect"
import { Tools } from "../../src/agent/Tools.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import type { PatternRejected, Rule } from "../../src/approval/Rule.ts"
import * as CommandCall from "../../src/middleware/CommandCall.ts"
import { group } from "../../src/middleware/group.ts"
import { apply, identity, stack, type Middleware } from "../../src/middleware/Middleware.ts"
import type { RateLimited } from "../../src/middleware/rateLimit.ts"
import { rateLimit } from "../../src/middleware/rateLimit.ts"
import type { Crashed } from "../../src/middleware/recover.ts"
import * as Registry from "../../src/middleware/Registry.ts"
import { backoff, retry, type RetriesExhausted } from "../../src/middleware/retry.ts"
import { when } from "../../src/middleware/when.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as DynamicTool from "../../src/tool/DynamicTool.ts"
import { fromToolkit } from "../../src/tool/fromToolkit.ts"
import * as Hook from "../../src/tool/Hook.ts"
import type { LoopDetected } from "../../src/tool/loopGuard.ts"
import { loopGuard } from "../../src/tool/loopGuard.ts"
import { retryTool } from "../../src/tool/retryTool.ts"
import type { HookError } from "../../src/gate/runHooks.ts"
import type { ToolTimedOut } from "../../src/tool/timeout.ts"
import * as Tool from "../../src/tool/Tool.ts"
import type { ToolCall } from "../../src/tool/ToolCall.ts"
import * as Toolset from "../../src/gate/Toolset.ts"

/** Compiles only where both types are the very same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(answer: Same<A, B>): boolean => answer

type ErrorOf<T> = T extends Toolset.Toolset<infer E, unknown> ? E : never
type NeedsOf<T> = T extends Toolset.Toolset<unknown, infer R> ? R : never
type SealedBy<F extends (...args: never) => unknown> =
  ReturnType<F> extends Effect.Effect<infer A, unknown, unknown> ? A : never

class Disk extends Context.Tag("types/Disk")<Disk, { readonly path: string }>() {}
class Clerk extends Context.Tag("types/Clerk")<Clerk, { readonly name: string }>() {}
class Mirror extends Context.Tag("types/Mirror")<Mirror, { readonly face: string }>() {}
class Full extends Schema.TaggedError<Full>()("Full", {}) {}
class Denied extends Schema.TaggedError<Denied>()("Denied", {}) {}

const common = { description: "d", parameters: Schema.Struct({ path: Schema.String }), success: Schema.String }
const Write = Tool.make("write", { ...common, failure: Full, handler: () => Effect.zipRight(Disk, new Full()) })
const Read = Tool.make("read", { ...common, readOnly: true, handler: () => Effect.map(Disk, ({ path }) => path) })
const Put = Tool.make("put", { ...common, idempotent: true, handler: () => Effect.succeed("put") })

const Discovered = DynamicTool.make("discovered", { description: "", jsonSchema: {}, handler: () => Effect.void })

type Gate = Toolset.GateError
const policy = backoff({ maxAttempts: 3, initialDelay: 1, multiplier: 2, maxDelay: 10, jitter: true })

declare const asking: Middleware<ToolCall, { fails: Denied; requires: Clerk }>
declare const emptying: Middleware<unknown, { handles: Full }>
declare const mounting: Middleware<unknown, { provides: Disk }>
declare const failing: Middleware<unknown, { fails: "no" }>

// What a toolset can fail with and needs is that of its tools and of the gate, and nothing else (T1, T3).
const plain = () => Toolset.make([Write, Read])
same<ErrorOf<SealedBy<typeof plain>>, Gate | Full>(true)
same<NeedsOf<SealedBy<typeof plain>>, Disk | Approvals>(true)

// What one callback of a tool needs, the others need not: the tool needs it all (T1, T3).
const looking = Tool.make("looking", {
  ...common,
  approval: () => Effect.as(Clerk, true),
  preview: () => Effect.map(Disk, ({ path }) => ({ summary: path, targets: [] })),
  handler: () => Effect.map(Mirror, ({ face }) => face)
})
same<Tool.Requirements<typeof looking>, Clerk | Disk | Mirror>(true)
same<Tool.Failure<typeof looking>, never>(true)
const approving = Tool.make("approving", {
  ...common,
  approval: () => Effect.as(Clerk, true),
  handler: () => Effect.succeed("")
})
same<Tool.Requirements<typeof approving>, Clerk>(true)
const previewing = Tool.make("previewing", {
  ...common,
  approval: "always",
  preview: looking.preview!,
  handler: () => Effect.succeed("")
})
same<Tool.Requirements<typeof previewing>, Clerk | Disk | Mirror>(true)
const looked = () => Toolset.make([looking, Put])
same<NeedsOf<SealedBy<typeof looked>>, Clerk | Disk | Mirror | Approvals>(true)
// @ts-expect-error a preview fails with what its tool declares, as a handler does
Tool.make("undeclared", { ...common, preview: () => new Full(), handler: () => Effect.succeed("") })

// Tools that are known only at run time can be sealed where they say what they need at most (T1, T3).
const loaded: ReadonlyArray<Tool.Needing<Disk>> = [Write, Read, Put, Discovered]
const discovered = () => Toolset.make(loaded)
same<NeedsOf<SealedBy<typeof discovered>>, Disk | Approvals>(true)
const layered = () => Tools.layerEffect(discovered())
same<Layer.Layer.Context<ReturnType<typeof layered>>, Disk | Approvals>(true)
// @ts-expect-error it needs more than it says
const _poor: ReadonlyArray<Tool.Needing<never>> = [Write]
// @ts-expect-error nobody knows what any tool needs or fails with
Tools.layerEffect(Toolset.make([Put] as ReadonlyArray<Tool.Any>))
// @ts-expect-error the middleware of a tool may need more
const _wrapped: ReadonlyArray<Tool.Needing<never>> = [Tool.wrap(Put, asking)]

// A middleware that adds an error and a service shows in the toolset's type; one that removes them does too (T3).
const asked = () => Toolset.make([Write, Read], { middleware: asking })
same<ErrorOf<SealedBy<typeof asked>>, Gate | Full | Denied>(true)
same<NeedsOf<SealedBy<typeof asked>>, Disk | Clerk | Approvals>(true)
const emptied = () => Toolset.make([Write, Read], { middleware: stack(asking, emptying, mounting) })
same<ErrorOf<SealedBy<typeof emptied>>, Gate | Denied>(true)
same<NeedsOf<SealedBy<typeof emptied>>, Clerk | Approvals>(true)

// A tool's own middleware changes what that tool brings (T3).
const own = () => Toolset.make([Tool.wrap(Write, stack(emptying, mounting)), Put])
same<ErrorOf<SealedBy<typeof own>>, Gate>(true)
same<NeedsOf<SealedBy<typeof own>>, Approvals>(true)
const owned = () => Toolset.make([Tool.wrap(Tool.wrap(Put, asking), failing)])
same<ErrorOf<SealedBy<typeof owned>>, Gate | Denied | "no">(true)
same<NeedsOf<SealedBy<typeof owned>>, Clerk | Approvals>(true)

// The default stack brings the errors of the steps that it has, and of those that a tool can ask for (T15).
type Always = Gate | Crashed | RetriesExhausted | ToolTimedOut
const bare = () => Toolset.make([Put], { middleware: DefaultStack.make({}) })
same<ErrorOf<SealedBy<typeof bare>>, Always>(true)
same<NeedsOf<SealedBy<typeof bare>>, Approvals>(true)
const hook = Hook.pre("*", () => Effect.as(Clerk, Hook.Before.Continue()))
const hooked = () => Toolset.make([Put], { middleware: DefaultStack.make({ hooks: [hook] }) })
same<ErrorOf<SealedBy<typeof hooked>>, Always | HookError>(true)
same<NeedsOf<SealedBy<typeof hooked>>, Clerk | Approvals>(true)
const full = () =>
  Effect.flatMap(Effect.all([loopGuard({ action: "ask" }), rateLimit({ permits: 1, per: 1 })]), ([guard, limit]) =>
    Toolset.make([Put], {
      middleware: DefaultStack.make({ loopGuard: guard, limits: [{ tools: "*", middleware: limit }] })
    })
  )
same<ErrorOf<SealedBy<typeof full>>, Always | LoopDetected | RateLimited>(true)
same<NeedsOf<SealedBy<typeof full>>, Approvals>(true)

// A stack is as exact as its members one by one, nested or not, and grouping changes nothing (T3, T18).
declare const handler: (call: ToolCall) => Effect.Effect<number, Full, Disk>
const flat = () => apply(stack(asking, emptying, mounting), handler)
const nestedLeft = () => apply(stack(stack(asking, emptying), mounting), handler)
const nestedRight = () => apply(stack(identity, asking, stack(emptying, mounting)), handler)
const grouped = () => apply(group("g", asking, emptying, mounting), handler)
type Expected = (call: ToolCall) => Effect.Effect<number, Denied, Clerk>
same<ReturnType<typeof flat>, Expected>(true)
same<ReturnType<typeof nestedLeft>, Expected>(true)
same<ReturnType<typeof nestedRight>, Expected>(true)
same<ReturnType<typeof grouped>, Expected>(true)

// What happens only sometimes handles and provides nothing that one could rely on (T18).
const sometimes = () =>
  apply(
    when(() => true, stack(asking, emptying, mounting)),
    handler
  )
same<ReturnType<typeof sometimes>, (call: ToolCall) => Effect.Effect<number, Denied | Full, Clerk | Disk>>(true)

// Repeating a tool that is neither read-only nor idempotent does not compile (T7).
Tool.make("r", { ...common, readOnly: true, retry: policy, handler: () => Effect.succeed("") })
Tool.make("i", { ...common, idempotent: true, retry: policy, handler: () => Effect.succeed("") })
// @ts-expect-error neither is declared
Tool.make("n", { ...common, retry: policy, handler: () => Effect.succeed("") })
// @ts-expect-error both are denied
Tool.make("d", { ...common, readOnly: false, idempotent: false, retry: policy, handler: () => Effect.succeed("") })
Tool.wrap(Read, retryTool(policy))
Tool.wrap(Put, retryTool(policy))
Tool.wrap(Put, retry(policy))
// @ts-expect-error writing twice is not writing once
Tool.wrap(Write, retryTool(policy))
// @ts-expect-error nor by the general retry
Tool.wrap(Write, retry(policy))
// @ts-expect-error nor in a stack
Tool.wrap(Write, stack(asking, retryTool(policy)))
// @ts-expect-error nobody knows what a tool does that is discovered at run time
Tool.wrap(DynamicTool.make("x", { description: "", jsonSchema: {}, handler: () => Effect.void }), retryTool(policy))
// @ts-expect-error a call whose tool may be anything is not known to be repeatable
Toolset.make([Read], { middleware: retryTool(policy) })
// A command may be repeated.
apply(retry<CommandCall.CommandCall>(policy), (call: CommandCall.CommandCall) => Effect.succeed(call))

// A middleware claims what it does, or does not compile (T3).
// @ts-expect-error it fails with more than it says
const _more: Middleware<unknown> = (call, next) => Effect.zipRight(Effect.fail("no"), next(call))
// @ts-expect-error it needs more than it says
const _needs: Middleware<unknown> = (call, next) => Effect.zipRight(Clerk, next(call))
// @ts-expect-error it handles less than it says
const _less: Middleware<unknown, { handles: Full }> = (call, next) => next(call)
// @ts-expect-error a middleware for tools does not fit a command
const _tools: Middleware<CommandCall.CommandCall, { fails: Denied; requires: Clerk }> = asking

// Rules can be rejected, and nothing else of approvals can (A13).
const asks = () => Approvals.layer({ policy: "ask" })
same<ReturnType<typeof asks>, Layer.Layer<Approvals>>(true)
const ruled = (rules: ReadonlyArray<Rule>) => Approvals.layer({ policy: "ask", rules })
same<ReturnType<typeof ruled>, Layer.Layer<Approvals, PatternRejected>>(true)

// A registry takes what stays within its declaration (M1).
const registering = Effect.gen(function* () {
  const registry = yield* Registry.make<CommandCall.CommandCall, { fails: "no" }>()
  yield* registry.use(failing)
  yield* registry.useFor("run", identity)
  // @ts-expect-error not declared
  yield* registry.use(emptying)
  const handler = CommandCall.handler(yield* registry.seal)(["run"], (arg: string) =>
    Effect.zipRight(new Full(), Effect.succeed(arg))
  )
  same<typeof handler, (arg: string) => Effect.Effect<string, Full | "no">>(true)
})

// A toolkit keeps its types behind the gate (T1).
const Add = Ai.make("add", { parameters: { a: Schema.Number }, success: Schema.Number, failure: Full })
const adding = () => Effect.flatMap(fromToolkit(Toolkit.make(Add)), (tools) => Toolset.make(tools))
same<ErrorOf<SealedBy<typeof adding>>, Gate | Full>(true)
same<NeedsOf<SealedBy<typeof adding>>, Approvals>(true)
same<Effect.Effect.Context<ReturnType<typeof adding>>, Ai.Handler<"add">>(true)

export { registering }
