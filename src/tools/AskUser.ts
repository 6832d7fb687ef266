import * as Schema from "effect/Schema"
import { clientTool } from "../approval/ClientTools.ts"
import { optional } from "./Parameter.ts"

const maxQuestion = 2000
const maxOptions = 9
const maxOption = 200

/** Runs in the frontend: whoever sits in front of it answers. Models know of it only where somebody does. */
export const AskUser = clientTool("ask_user", {
  description:
    "Asks the user one question and answers with their words. Use it where you cannot go on without knowing what they " +
    "want. It gives no permission: calls that need one are asked about by themselves.",
  label: "Ask user",
  category: "user",
  touches: "none",
  approval: "never",
  timeout: "15 minutes",
  parameters: Schema.Struct({
    question: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(maxQuestion)).annotations({
      description: "One question, in full: the user sees nothing else of what you think."
    }),
    options: optional(
      Schema.Array(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(maxOption))).pipe(
        Schema.maxItems(maxOptions)
      ),
      "Answers to choose from; the user may say something else."
    )
  }),
  success: Schema.Struct({ answer: Schema.String })
})
