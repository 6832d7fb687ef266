import type { Step } from "../../ui/Narrator.ts"
import type { Transcript, Written } from "../terminal/transcript/Transcript.ts"

/** What is told again: what was said and done, not what went on meanwhile. */
export const retold = (transcript: Transcript, step: Step): ReadonlyArray<Written> => {
  switch (step._tag) {
    case "Prompt":
    case "Thought":
    case "CallBegan":
    case "CallDelegated":
    case "CallAsked":
    case "CallDecided":
    case "CallStarted":
    case "CallNote":
    case "CallEnded":
    case "Text":
    case "TextEnded":
    case "TaskEnded":
      return transcript.render(step)
    case "Diff":
      return transcript.diff(step.diff)
    default:
      return []
  }
}
