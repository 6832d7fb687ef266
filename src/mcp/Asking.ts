import type { Client, InputRequiredResult, InputResponse } from "@modelcontextprotocol/client"
import type * as Effect from "effect/Effect"
import type { Audience, ServerProgress } from "./Audience.ts"
import type { ServerFailed } from "./McpError.ts"

/** How a request is sent. */
export interface RequestOptions {
  readonly signal: AbortSignal
  readonly timeout: number
  readonly onprogress: (progress: ServerProgress) => void
  readonly resetTimeoutOnProgress: true
  readonly allowInputRequired: true
}

/** Sends a request. */
export type Asking<A> = (client: Client, options: RequestOptions, round: Round) => Promise<A | InputRequiredResult>

/** What a request says besides its own parameters: what was answered to the server so far, and what it may ask for. */
export interface Round {
  readonly inputResponses?: { [key: string]: InputResponse }
  readonly requestState?: string
  readonly _meta?: { [key: string]: unknown }
}

/** Asks something of a server, for somebody who hears what it says and answers what it needs. */
export type Requesting = <A>(operation: string, ask: Asking<A>, audience?: Audience) => Effect.Effect<A, ServerFailed>
