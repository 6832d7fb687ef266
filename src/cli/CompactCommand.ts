import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Configuration } from "../config/Configuration.ts"
import { compact as begin } from "../ui/Conversation.ts"
import * as Frontend from "./Frontend.ts"
import { document, type JsonOptions } from "./jsonOutput.ts"
import { type Output, outputOf } from "./Output.ts"
import { contextOf } from "./prompt/commands/conversation.ts"
import { agent, perform } from "./Run.ts"
import { resolve } from "./SessionId.ts"
import { Screen } from "./terminal/Screen.ts"

export interface CompactOptions extends JsonOptions {
  readonly id: string
  readonly instructions: ReadonlyArray<string>
}

/** There is nothing to do, which is no failure. */
const nothing = (session: string, output: Output) =>
  output === "text"
    ? Effect.flatMap(Screen, ({ progress }) => progress("Nothing to summarise yet.\n"))
    : output === "json"
      ? document({ session, outcome: "completed", text: "", iterations: 0 })
      : Effect.void

/** Replaces what the model of a stored session sees with a summary, by which nothing else is done. */
export const compact = ({ id, instructions, json, jsonl }: CompactOptions) =>
  Effect.gen(function* () {
    const output = yield* outputOf({ json, jsonl })
    const said = instructions.join(" ")
    const asked = Effect.gen(function* () {
      const session = yield* resolve(id)
      // The runtime would say the same, as the failure of a task.
      if ((yield* contextOf(session)).length === 0) return yield* nothing(session, output)
      const options = { profile: Option.none(), session: Option.some(session), last: false, output }
      yield* perform(options, (opened) => begin(opened, said === "" ? undefined : said), false)
    })
    yield* Effect.provide(asked, agent("deny", false))
  }).pipe(Effect.provide(Frontend.layer({ split: true, keys: !json && !jsonl })), Effect.provide(Configuration.layer()))
