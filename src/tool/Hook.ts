import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import { timeSpan } from "../system/wholeNumber.ts"
import type { ToolCall } from "./ToolCall.ts"
import type { ToolResult } from "./ToolResult.ts"

/** What a pre hook says of a call. */
export type Before = Data.TaggedEnum<{
  Continue: object
  /** The tool does not run. With a result, that is what the call gives; without, the call fails with the reason. */
  Abort: { readonly reason: string; readonly result?: unknown }
  /** Goes on with other raw parameters, which are validated again. */
  Replace: { readonly parameters: unknown }
}>
export const Before = Data.taggedEnum<Before>()

/** What a post hook says of an outcome. */
export type After = Data.TaggedEnum<{
  Keep: object
  /** The call gives this, whether it had succeeded or failed. */
  Replace: { readonly result: unknown }
  /** The call fails with the reason, whether it had succeeded or failed. */
  Fail: { readonly reason: string }
}>
export const After = Data.taggedEnum<After>()

/** How a call ended, for a post hook: a typed failure on the left. Bugs and interruptions are not shown to hooks. */
export type Outcome = Either.Either<ToolResult, { readonly _tag: string; readonly message: string }>

/** Anything a hook fails with has a message. */
export interface HookFailure {
  readonly message: string
}

export interface Common {
  /** The name of a tool, or `*` for every tool; in a toolset without a tool of that name it never runs, and nothing says so. */
  readonly tool: string
  /** For people and for the log. */
  readonly name: string
  /** Default: none. */
  readonly timeout?: Duration.DurationInput
  /** Whether a hook that fails, crashes or hangs fails the call or is skipped. Default: `fail`. */
  readonly onFailure?: "fail" | "skip"
}

export interface PreHook<out R = never> extends Common {
  readonly event: "pre"
  /** Gets the call as it is asked for, with raw parameters; it does not see what a person puts in their place afterwards. */
  readonly run: (call: ToolCall) => Effect.Effect<Before, HookFailure, R>
}

export interface PostHook<out R = never> extends Common {
  readonly event: "post"
  /** Gets the call as it ran, or as it was asked for where it did not. */
  readonly run: (call: ToolCall, outcome: Outcome) => Effect.Effect<After, HookFailure, R>
}

/** Something of the user's that runs before or after a tool, outside validation and approval. */
export type Hook<R = never> = PreHook<R> | PostHook<R>

export type Requirements<H> = H extends Hook<infer R> ? R : never

type Options = Partial<Omit<Common, "tool">>

/** The options of a hook, with a time that is one. */
const checked = (tool: string, name: string, options: Options): Common => {
  const { timeout } = options
  const common = { tool, name, ...options }
  return timeout === undefined ? common : { ...common, timeout: timeSpan(`Hook ${common.name}: timeout`, timeout) }
}

export const pre = <R>(tool: string, run: PreHook<R>["run"], options: Options = {}): PreHook<R> => ({
  event: "pre",
  ...checked(tool, `pre ${tool}`, options),
  run
})

export const post = <R>(tool: string, run: PostHook<R>["run"], options: Options = {}): PostHook<R> => ({
  event: "post",
  ...checked(tool, `post ${tool}`, options),
  run
})

/** The hooks of a tool: those for every tool first, each in the order given. */
const merged = <H extends { readonly tool: string }>(hooks: ReadonlyArray<H>, tool: string): ReadonlyArray<H> => [
  ...hooks.filter((hook) => hook.tool === "*"),
  ...hooks.filter((hook) => hook.tool === tool)
]

export interface HooksOf<R> {
  readonly pre: ReadonlyArray<PreHook<R>>
  readonly post: ReadonlyArray<PostHook<R>>
}

/** What runs around a tool, in the order in which it runs: post hooks in the reverse of the merged order. */
export const hooksOf = <R>(hooks: ReadonlyArray<Hook<R>>, tool: string): HooksOf<R> => ({
  pre: merged(
    hooks.filter((hook) => hook.event === "pre"),
    tool
  ),
  post: merged(
    hooks.filter((hook) => hook.event === "post"),
    tool
  ).toReversed()
})
