import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { InputNeeded, needInputTool } from "../agent/NeedInput.ts"
import * as Tool from "../tool/Tool.ts"

const maxQuestion = 4000

/** Ends the sub-worker that calls it; the question goes to the worker above. */
export const NeedInput = Tool.make(needInputTool, {
  description:
    "Ends your work with a question to the agent that gave you the task. Use it when you cannot continue without knowing " +
    "what you cannot find out. You do not get the answer: the task is given again, in clearer words.",
  label: "Need input",
  category: "agent",
  touches: "none",
  readOnly: true,
  parameters: Schema.Struct({
    question: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(maxQuestion)).annotations({
      description: "What you need to know, complete by itself."
    })
  }),
  success: InputNeeded,
  handler: ({ question }) => Effect.succeed({ question })
})
