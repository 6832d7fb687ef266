import type { Touch } from "./Step.ts"

/** What is touched, with the directories that it may be named from. */
export interface Touched extends Touch {
  readonly from: ReadonlyArray<string>
}
