import type { FinishReason } from "../../model/ModelPart.ts"

/** What a person should know of an answer that is empty or was not ended by the model itself. */
export const shortcoming = (finish: FinishReason, empty: boolean): string | undefined => {
  switch (finish) {
    case "length":
      return `the model ran out of output tokens: its answer is ${empty ? "empty" : "cut off"}. Ask it to continue, or raise the limit in the profile's options.`
    case "content_filter":
      return `the provider's content filter withheld ${empty ? "the answer" : "the rest of the answer"}. Rephrase the prompt, or choose another profile.`
    default:
      return empty ? "the model gave an empty answer. Ask again, or choose another profile." : undefined
  }
}
