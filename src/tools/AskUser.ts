import * as Schema from "effect/Schema"
import { clientTool } from "../tool/ClientTools.ts"
import { optional } from "./Parameter.ts"

const maxQuestion = 2000
const maxOptions = 9
const maxOption = 200

/** Runs in the frontend, whose user answers. The model sees it only if a user is attached. */
export const AskUser = clientTool("ask_user", {
  description:
    "Asks the user one question and answers with their words. Use it when you cannot continue without knowing what they " +
    "want. The answer is not an approval: calls that need one ask separately.",
  label: "Ask user",
  category: "user",
  touches: "none",
  approval: "never",
  timeout: "15 minutes",
  parameters: Schema.Struct({
    question: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(maxQuestion)).annotations({
      description: "One complete question: the user sees nothing else."
    }),
    options: optional(
      Schema.Array(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(maxOption))).pipe(
        Schema.maxItems(maxOptions)
      ),
      "Answers to choose from; the user may give another."
    )
  }),
  success: Schema.Struct({ answer: Schema.String })
})
