import type { ImportFormat } from "./Draft.ts"
import type { Data } from "./JsonPiece.ts"

/** A kind of transcript, line by line. */
export interface Transcript {
  readonly format: ImportFormat
  readonly line: (data: Data, where: string) => void
  /** Adds what still waits for a line. */
  readonly end: () => void
}
