import type * as Effect from "effect/Effect"
import type { Unmasked } from "../approval/Request.ts"
import type { Usage } from "../model/ModelPart.ts"
import type { ApprovalRequest, Scope, WiderKind } from "../tool/ApprovalRequest.ts"
import type { Issue } from "../tool/Parameters.ts"
import type { DiffSize } from "../tool/ToolEvent.ts"

/** A call as a frontend shows it; `key` is unique in its session. */
export interface CallShown {
  readonly key: string
  readonly tool: string
  /** The JSON text of the model. */
  readonly arguments: string
  readonly worker: ReadonlyArray<string>
  /** The key of the call that started the worker; unset for the root's, and where that call is not known. */
  readonly under?: string
}

export type Level = "info" | "warning" | "error"

/** Something to show, in the order in which it happened; all text may come from a model or a tool. */
export type Display =
  | { readonly _tag: "Prompt"; readonly text: string }
  | { readonly _tag: "Text"; readonly text: string }
  /** An answer is complete; the final one asks for no more calls. */
  | { readonly _tag: "TextEnded"; readonly final: boolean; readonly text: string }
  /** The model has thought aloud; the time is unset where nobody saw it think. */
  | { readonly _tag: "Thought"; readonly text: string; readonly durationMillis?: number }
  | { readonly _tag: "CallBegan"; readonly call: CallShown }
  /** The call has started a sub-worker of that name; what is noted of the call from here on is what it says. */
  | { readonly _tag: "CallDelegated"; readonly call: CallShown; readonly name: string }
  /** The call waits for a decision; what the request shows of it is masked for a screen. */
  | { readonly _tag: "CallAsked"; readonly call: CallShown; readonly request: ApprovalRequest }
  /**
   * The request of the call is over: how, in words, unless it was refused, which its failure tells; `once` where the user has allowed
   * this call alone.
   */
  | { readonly _tag: "CallDecided"; readonly call: CallShown; readonly text?: string; readonly once: boolean }
  /** The call has passed the gate, and its tool runs; with other arguments than those asked for, where it is `changed`. */
  | { readonly _tag: "CallStarted"; readonly call: CallShown; readonly changed?: true }
  | {
      readonly _tag: "CallOutput"
      readonly call: CallShown
      readonly channel: "stdout" | "stderr"
      readonly text: string
    }
  | { readonly _tag: "CallNote"; readonly call: CallShown; readonly level: Level; readonly text: string }
  | {
      readonly _tag: "CallEnded"
      readonly call: CallShown
      readonly outcome: "done" | "failed" | "interrupted" | "unknown"
      /** The result, or what went wrong. */
      readonly text: string
      /** The result of a call whose program failed. */
      readonly result?: string
      /** Asked for by the person: the result is shown to its last line. */
      readonly whole?: true
      readonly durationMillis: number
      /** Epoch milliseconds. */
      readonly endedAt: number
    }
  | {
      readonly _tag: "Note"
      readonly level: Level
      readonly text: string
      /** Asked for by the person: shown to its last line. */
      readonly whole?: true
      /** The tag of the error behind it. */
      readonly error?: string
    }
  | {
      readonly _tag: "TaskEnded"
      readonly outcome: "completed" | "failed" | "interrupted"
      /** Why, unless it completed. */
      readonly reason: string
      /** The tag of the error behind it. */
      readonly error?: string
      readonly durationMillis: number
      readonly requests: number
      readonly calls: number
      /** Those that failed, or whose result tells of a failure. */
      readonly failedCalls: number
      /** Those that a person said no to. */
      readonly deniedCalls?: number
      readonly usage: Usage | undefined
    }

export interface Diff {
  readonly call: CallShown
  /** Unified. */
  readonly text: string
  /** Lines that follow it. */
  readonly omitted: number
  /** What the whole adds and removes; the same as what is shown if unset. */
  readonly size?: DiffSize
}

/** Something that the person may want to come back for. */
export interface Notice {
  readonly level: "info" | "success" | "warning" | "error"
  readonly title: string
  readonly message: string
}

export interface Progress {
  readonly call: CallShown
  readonly label?: string
  readonly current?: number
  readonly total?: number
}

/** An approval request that is first in line. */
export interface Approval {
  readonly call: CallShown
  readonly request: ApprovalRequest
  /** It was approved before, and what it would do has changed since. */
  readonly again?: true
  /** What the request masks, for the screen alone; unset if unknown here. */
  readonly unmasked?: Effect.Effect<Unmasked | undefined>
  /** What is wrong with parameters in place of those of the request; unknown here if unset. */
  readonly issues?: (parameters: unknown) => Effect.Effect<ReadonlyArray<Issue>>
  /** How many others come after it, by now. */
  readonly waiting: () => number
  /** Those of them that the same worker waits for; none if unset. */
  readonly others?: () => ReadonlyArray<ApprovalRequest>
}

export type Answer = (
  | {
      readonly decision: "approve"
      readonly scope: Scope
      /** Covers what `wider` of the request says. */
      readonly wider?: WiderKind
      /** Further requests that are allowed once, each as it was shown. */
      readonly also?: ReadonlyArray<ApprovalRequest>
      /** Parameters instead of those of the request, which is asked about anew with them. */
      readonly parameters?: unknown
    }
  | { readonly decision: "deny"; readonly reason?: string }
) & {
  /** The frontend's name where it answers by itself. */
  readonly frontend?: string
}
