import type { Drafted } from "./Draft.ts"

/** Reads one format, in pieces of any size; both steps refuse by `ImportProblem`. */
export interface Reader {
  readonly push: (text: string) => void
  readonly end: () => Drafted
}
