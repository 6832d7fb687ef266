import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { noUsage, type Usage } from "../../model/ModelPart.ts"
import { Rejected } from "../ApiError.ts"
import type { Said, WantedCall } from "./Said.ts"

/** A whole answer. */
export interface Collected {
  readonly text: string
  readonly calls: ReadonlyArray<WantedCall>
  readonly finish: string
  readonly usage: Usage
}

/**
 * What a client is told, as one answer. A task that failed is 422 and never 5xx, which clients repeat by themselves: what it
 * has done would be done twice.
 */
export const collected = (said: Stream.Stream<Said>): Effect.Effect<Collected, Rejected> =>
  Stream.runFoldEffect(said, { text: "", calls: [], finish: "stop", usage: noUsage }, (all: Collected, one) => {
    switch (one._tag) {
      case "Text":
        return Effect.succeed({ ...all, text: all.text + one.text })
      case "Calls":
        return Effect.succeed({ ...all, calls: one.calls, usage: one.usage })
      case "Ended":
        return Effect.succeed({ ...all, finish: one.finish, usage: one.usage })
      case "Failed":
        return new Rejected({ message: one.message, error: one.code })
    }
  })
