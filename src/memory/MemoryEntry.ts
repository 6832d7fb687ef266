import * as Schema from "effect/Schema"

/** For whom a text is remembered: one session, or every session of its project. */
export const MemoryScope = Schema.Literal("session", "project")
export type MemoryScope = typeof MemoryScope.Type

/** What a text is: `note` where nothing more is known. */
export const MemoryKind = Schema.Literal("note", "fact", "preference", "decision")
export type MemoryKind = typeof MemoryKind.Type

/** What else is known of a text, e.g. `origin: "prompt"`; at most 16 values. */
export const MemoryMetadata = Schema.Record({ key: Schema.String, value: Schema.String })
export type MemoryMetadata = typeof MemoryMetadata.Type

/** Who looks: a session sees its own and what is its project's, a person all of a project. */
export type MemoryViewer = { readonly sessionId: string } | { readonly project: string }

/** One text that was noted. */
export interface MemoryEntry {
  /** Never given to another entry. */
  readonly id: number
  readonly scope: MemoryScope
  /** The session that noted it. */
  readonly sessionId: string
  readonly project: string
  readonly kind: MemoryKind
  readonly text: string
  readonly metadata: MemoryMetadata
  /** Epoch milliseconds. */
  readonly createdAt: number
}
