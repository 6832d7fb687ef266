import type { ExactValues } from "./ExactValues.ts"
import { redactedText } from "./redactedText.ts"
import { approvalReader } from "./Scanner.ts"
import { type Shown, shownWith } from "./Shown.ts"

/** A text as somebody sees who approves it, and how many places are masked; one without secrets is itself. */
export const shownText = (exact: ExactValues): ((whole: string) => Shown) => {
  const text = redactedText(exact)
  return (whole) => (text(whole) === whole ? { text: whole, masked: 0 } : shownWith(whole, exact, approvalReader()))
}
