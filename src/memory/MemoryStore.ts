import type * as Effect from "effect/Effect"
import type { MemoryEntry, MemoryKind, MemoryMetadata, MemoryScope, MemoryViewer } from "./MemoryEntry.ts"
import type { MemoryFailed } from "./MemoryError.ts"
import type { Found, Word } from "./Relevance.ts"

/** Entries of one session, and of one project. */
export const maxEntries = 1000

/** A text on its way into the memory. */
export interface Note {
  readonly sessionId: string
  readonly scope: MemoryScope
  readonly kind: MemoryKind
  readonly text: string
  /** `fingerprintOf` its text. */
  readonly fingerprint: string
  readonly metadata: MemoryMetadata
  /** Epoch milliseconds. */
  readonly createdAt: number
}

export interface Kept {
  readonly entry: MemoryEntry
  /** False where a text of the same words was there already. */
  readonly added: boolean
}

/** An entry, and its meaning to a model, if that is stored. */
export interface Remembered {
  readonly entry: MemoryEntry
  readonly vector: Int8Array | undefined
}

/** Where entries lie; it knows which project a session belongs to, and gives a session nothing of another's. */
export interface MemoryStore {
  /** The oldest give way where there are too many; undefined where the session is not known. */
  readonly keep: (note: Note) => Effect.Effect<Kept | undefined, MemoryFailed>
  /** What has at least one of the words, the most relevant first. */
  readonly search: (
    viewer: MemoryViewer,
    words: ReadonlyArray<Word>,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Found>, MemoryFailed>
  /** The latest first; those older than `before`, where it is given. */
  readonly list: (
    viewer: MemoryViewer,
    limit: number,
    before?: number
  ) => Effect.Effect<ReadonlyArray<MemoryEntry>, MemoryFailed>
  /** All that the viewer sees, with the vectors of that model that are stored. */
  readonly vectors: (viewer: MemoryViewer, model: string) => Effect.Effect<ReadonlyArray<Remembered>, MemoryFailed>
  /** Stores what entries mean by a model, in place of what they meant by another; entries that are gone stay gone. */
  readonly keepVectors: (
    model: string,
    vectors: ReadonlyArray<{ readonly id: number; readonly vector: Int8Array }>
  ) => Effect.Effect<void, MemoryFailed>
  readonly find: (id: number) => Effect.Effect<MemoryEntry | undefined, MemoryFailed>
  /** Whether there was one. */
  readonly forget: (id: number) => Effect.Effect<boolean, MemoryFailed>
}
