import { mark } from "./Mark.ts"

/** Text left out until its end; `shown` once a mark replaces it. */
export interface Hidden {
  readonly kind: string
  readonly until: "quote" | "line" | "piece" | "footing" | "mac"
  readonly quote: string | undefined
  /** What goes on being left out after the footing of a key. */
  readonly outer?: Hidden
  shown: boolean
  /** Characters so far, where that is bounded. */
  size?: number
  readonly place?: boolean
}

/** The mark of what is left out, where it is not there yet. */
export const shownOf = (hidden: Hidden): string => {
  if (hidden.shown) return ""
  hidden.shown = true
  return mark(hidden.kind)
}
