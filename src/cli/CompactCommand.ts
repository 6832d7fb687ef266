import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Configuration } from "../config/Configuration.ts"
import { compact as begin } from "../ui/Conversation.ts"
import * as Frontend from "./Frontend.ts"
import type { JsonOptions } from "./jsonOutput.ts"
import { outputOf } from "./Output.ts"
import { agent, perform } from "./Run.ts"

export interface CompactOptions extends JsonOptions {
  readonly id: string
  readonly instructions: ReadonlyArray<string>
}

/** Replaces what the model of a stored session sees with a summary, by which nothing else is done. */
export const compact = ({ id, instructions, json, jsonl }: CompactOptions) =>
  Effect.gen(function* () {
    const output = yield* outputOf({ json, jsonl })
    const said = instructions.join(" ")
    const options = { profile: Option.none(), session: Option.some(id), last: false, output }
    const asked = perform(options, (opened) => begin(opened, said === "" ? undefined : said), false)
    yield* Effect.provide(asked, agent("deny", false))
  }).pipe(Effect.provide(Frontend.layer({ split: true, keys: !json && !jsonl })), Effect.provide(Configuration.layer()))
