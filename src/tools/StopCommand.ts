import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { BackgroundCommands, BackgroundUnknown } from "../process/BackgroundCommands.ts"
import * as Tool from "../tool/Tool.ts"
import * as Background from "./shell/background.ts"

const parameters = Schema.Struct({
  id: Schema.String.annotations({ description: "The id that run_shell gave." })
})

export const StopCommand = Tool.make("stop_command", {
  description: "Ends a background command of this session and all that it started.",
  label: "Stop command",
  category: "shell",
  parameters,
  success: Schema.String,
  failure: BackgroundUnknown,
  idempotent: true,
  approval: "never",
  risk: "low",
  touches: () => ({ names: ["background commands of this session"] }),
  handler: ({ id }, call) =>
    Effect.gen(function* () {
      const commands = yield* BackgroundCommands
      return yield* Effect.flatMap(commands.stop(call.sessionId, id), Background.stateOf)
    })
})
