import * as Context from "effect/Context"
import type * as Stream from "effect/Stream"
import type { StoredMessage } from "../conversation/Message.ts"
import type { Payer } from "../cost/Payer.ts"
import type { Terms } from "../cost/Terms.ts"
import type { Served } from "../telemetry/Served.ts"
import type { ModelError } from "./ModelError.ts"
import type { ModelPart } from "./ModelPart.ts"

/** A tool as the model sees it; `parameters` is a JSON Schema whose root is an object. */
export interface FunctionDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}

export interface ModelRequest {
  readonly messages: ReadonlyArray<StoredMessage>
  readonly functions: ReadonlyArray<FunctionDefinition>
  /** On whose account it goes; unset outside a session. */
  readonly payer?: Payer
}

/**
 * A model backend. A stream that succeeds ends with `Finished`; one that cannot stream yields one delta.
 * Interrupting the stream aborts the request.
 */
export class Model extends Context.Tag("tollgate/model/Model")<
  Model,
  Terms & {
    /** Unset if unknown. */
    readonly served?: Served
    readonly stream: (request: ModelRequest) => Stream.Stream<ModelPart, ModelError>
  }
>() {}

export type ModelService = Context.Tag.Service<typeof Model>
