import type * as Effect from "effect/Effect"
import { effectOf } from "./effectOf.ts"

/** What a middleware does to the type of the effect it wraps. */
export interface Change {
  /** Errors it may add. */
  readonly fails?: unknown
  /** Errors of the inner effect that it takes care of. */
  readonly handles?: unknown
  /** Services it needs. */
  readonly requires?: unknown
  /** Services it provides to the inner effect. */
  readonly provides?: unknown
}

type Get<C, K extends keyof Change> = C extends { readonly [P in K]: infer X } ? X : never
export type Fails<C> = Get<C, "fails">
export type Handles<C> = Get<C, "handles">
export type Requires<C> = Get<C, "requires">
export type Provides<C> = Get<C, "provides">

/**
 * Wraps an effect that a call leads to. `next` may be called with a changed call, once, many times or never.
 * `Middleware<unknown>` fits every kind of call, `Middleware<ToolCall>` only tools.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- a middleware that changes nothing
export interface Middleware<in Call, in out C extends Change = {}> {
  <Self extends Call, A, E, R>(
    call: Self,
    next: (call: Self) => Effect.Effect<A, E | Handles<C>, R | Provides<C>>
  ): Effect.Effect<A, E | Fails<C>, R | Requires<C>>
}

// oxlint-disable-next-line typescript/no-explicit-any -- `Change` is invariant, so only `any` stands for every change
export type Any = Middleware<never, any>

/** What `Outer` around `Inner` changes. */
export interface Around<Outer, Inner> {
  readonly fails: Fails<Outer> | Exclude<Fails<Inner>, Handles<Outer>>
  readonly handles: Handles<Outer> | Handles<Inner>
  readonly requires: Requires<Outer> | Exclude<Requires<Inner>, Provides<Outer>>
  readonly provides: Provides<Outer> | Provides<Inner>
}

export type Stacked<Ms extends ReadonlyArray<Any>> = Ms extends readonly [
  Middleware<never, infer Outer>,
  ...infer Rest extends ReadonlyArray<Any>
]
  ? Around<Outer, Stacked<Rest>>
  : // oxlint-disable-next-line typescript/no-empty-object-type -- the empty stack changes nothing
    {}

// oxlint-disable-next-line typescript/no-explicit-any -- see `Any`
export type CallOf<Ms extends ReadonlyArray<Any>> = Ms[number] extends Middleware<infer Call, any> ? Call : never

type Next = (call: unknown) => Effect.Effect<unknown>
type Untyped = (call: unknown, next: Next) => Effect.Effect<unknown>

const Members = Symbol.for("tollgate/middleware/Members")

/** The middleware that a stack is made of, outermost first; a single one is its own only member. */
export const members = (self: Any): ReadonlyArray<Any> => {
  const own: unknown = Reflect.get(self, Members)
  return Array.isArray(own) ? own : [self]
}

const compose = (middleware: ReadonlyArray<Any>, next: Next): Next =>
  middleware.reduceRight<Next>((inner, outer) => {
    const around = outer as unknown as Untyped
    return (call) => effectOf("a middleware", around(call, inner))
  }, next)

/** Several middleware as one; the first is the outermost. */
export const stack = <const Ms extends ReadonlyArray<Any>>(...middleware: Ms): Middleware<CallOf<Ms>, Stacked<Ms>> => {
  const flat = middleware.flatMap(members)
  const stacked: Untyped = (call, next) => compose(flat, next)(call)
  return Object.assign(stacked, { [Members]: flat }) as unknown as Middleware<CallOf<Ms>, Stacked<Ms>>
}

/** Changes nothing; `stack()` of nothing. */
export const identity: Middleware<unknown> = stack() as Middleware<unknown>

/** The chain of a middleware around one handler, composed once; a call then only runs it. */
export const apply = <Call, C extends Change, A, E, R>(
  self: Middleware<Call, C>,
  next: (call: Call) => Effect.Effect<A, E, R>
): ((call: Call) => Effect.Effect<A, Exclude<E, Handles<C>> | Fails<C>, Exclude<R, Provides<C>> | Requires<C>>) =>
  compose(members(self as unknown as Any), next as unknown as Next) as never
