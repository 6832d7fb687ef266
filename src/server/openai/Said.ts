import type { Usage } from "../../model/ModelPart.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"

/** A call that a client is asked to make. */
export interface WantedCall {
  readonly id: string
  readonly name: string
  /** JSON text. */
  readonly arguments: string
  /** What it decides on, where it is one of approval. */
  readonly request?: ApprovalRequest
}

/** What a client is told, in order; the last is none of `Text`. */
export type Said =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Calls"; readonly calls: ReadonlyArray<WantedCall>; readonly usage: Usage }
  | { readonly _tag: "Ended"; readonly finish: string; readonly usage: Usage }
  | { readonly _tag: "Failed"; readonly code: string; readonly message: string }
