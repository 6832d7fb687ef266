import * as Schema from "effect/Schema"

/** For whom a text is remembered: one session, or every session of its project. */
export const MemoryScope = Schema.Literal("session", "project")
export type MemoryScope = typeof MemoryScope.Type

/** One text that was noted. */
export interface MemoryEntry {
  /** Never given to another entry. */
  readonly id: number
  readonly scope: MemoryScope
  /** The session that noted it. */
  readonly sessionId: string
  readonly project: string
  readonly text: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}
