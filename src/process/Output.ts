import * as Capture from "./Capture.ts"

/** The output of a channel. Only `Whole` is complete, and only a complete output may decide anything. */
export type Output = Whole | Incomplete

export interface Whole {
  readonly _tag: "Whole"
  readonly text: string
}

export interface Incomplete {
  readonly _tag: "Incomplete"
  readonly captured: Capture.Captured
  /** Whether the end was lost: another process still held the channel when it was cut. Else only the middle was too long. */
  readonly truncated: boolean
}

export const whole = (text: string): Output => ({ _tag: "Whole", text })

export const make = (captured: Capture.Captured, truncated: boolean): Output =>
  captured.droppedBytes === 0 && !truncated ? whole(captured.head) : { _tag: "Incomplete", captured, truncated }

/** For people: what there is, with a line in place of what is missing. */
export const render = (output: Output): string => {
  if (output._tag === "Whole") return output.text
  const text = Capture.render(output.captured)
  return output.truncated ? `${text}\n… cut: a background process still held the output …` : text
}

/** What there is of it at the beginning. */
export const head = (output: Output): string => (output._tag === "Whole" ? output.text : output.captured.head)
