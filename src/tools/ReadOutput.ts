import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { BackgroundCommands, BackgroundUnknown } from "../process/BackgroundCommands.ts"
import * as Tool from "../tool/Tool.ts"
import * as Background from "./shell/background.ts"
import { optionalCount } from "./Parameter.ts"

const parameters = Schema.Struct({
  id: Schema.String.annotations({ description: "The id that run_shell gave." }),
  wait: optionalCount(1, 60, "Seconds to wait for new output or the end. Default: answer at once.")
})

export const ReadOutput = Tool.make("read_output", {
  description:
    "Reads what a background command of this session has printed since the last read_output, and says whether it still runs.",
  label: "Read output",
  category: "shell",
  parameters,
  success: Schema.String,
  failure: BackgroundUnknown,
  readOnly: true,
  timeout: 0,
  idleTimeout: 0,
  resultLimit: 32 * 1024,
  touches: () => ({ names: ["background commands of this session"] }),
  handler: ({ id, wait }, call) =>
    Effect.gen(function* () {
      const commands = yield* BackgroundCommands
      const news = commands.news(call.sessionId, id)
      if (wait !== undefined) yield* Effect.timeoutOption(news, `${wait} seconds`)
      const { dropped, text } = yield* commands.unread(call.sessionId, id)
      const state = yield* Effect.flatMap(commands.find(call.sessionId, id), Background.stateOf)
      const lost = dropped > 0 ? [`[${dropped} earlier characters are no longer kept]`] : []
      return [state, ...lost, text === "" ? "[no new output]" : text].join("\n")
    })
})
