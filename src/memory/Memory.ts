import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Database } from "../database/Database.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { Embeddings } from "../search/Embeddings.ts"
import * as LocalMemory from "./LocalMemory.ts"
import type { MemoryEntry, MemoryKind, MemoryMetadata, MemoryScope, MemoryViewer } from "./MemoryEntry.ts"
import { type MemoryFailed, MemoryRefused } from "./MemoryError.ts"
import type { Kept, MemoryStore } from "./MemoryStore.ts"
import { fingerprintOf, type Recalled, select, wordsOf } from "./Relevance.ts"
import { combined, similar } from "./Similarity.ts"
import * as SqlMemory from "./SqlMemory.ts"

export interface RecordOptions {
  readonly sessionId: string
  readonly scope: MemoryScope
  readonly text: string
  /** Default: `note`. */
  readonly kind?: MemoryKind
  /** Where it is from and what else is known; at most 16 values. Default: none. */
  readonly metadata?: MemoryMetadata
}

export type RetrieveOptions = MemoryViewer & {
  /** What to look for: its first 32 words, and what it means where `Embeddings` are provided. */
  readonly query: string
  /** At most 100. Default: 10. */
  readonly limit?: number
  /** What an entry needs at least, as a share of the best one's score. */
  readonly minScore?: number
  /** Tokens of all entries together, estimated as a quarter of their characters. */
  readonly tokenBudget?: number
}

/** Texts that outlive the conversation they were noted in, for one session or for all of a project. */
export class Memory extends Context.Tag("tollgate/memory/Memory")<
  Memory,
  {
    /** Keeps the text without its secrets; texts of the same words are kept once, the first of them, and the oldest give way where there are too many. */
    readonly record: (options: RecordOptions) => Effect.Effect<Kept, MemoryRefused | MemoryFailed>
    /**
     * What the session and its project have with at least one of the words or, where `Embeddings` are provided, with a similar
     * meaning, the best first.
     */
    readonly retrieve: (options: RetrieveOptions) => Effect.Effect<ReadonlyArray<Recalled>, MemoryFailed>
    /** What the session and its project have, the latest first. */
    readonly list: (
      options: MemoryViewer & {
        /** At most 100. Default: 100. */
        readonly limit?: number
        /** Only those whose id is smaller, which are older. */
        readonly before?: number
      }
    ) => Effect.Effect<ReadonlyArray<MemoryEntry>, MemoryFailed>
    readonly find: (id: number) => Effect.Effect<MemoryEntry | undefined, MemoryFailed>
    /** Whether there was one. */
    readonly forget: (id: number) => Effect.Effect<boolean, MemoryFailed>
  }
>() {
  /** Gone with the layer; all sessions are of one project where nothing says otherwise. */
  static readonly layerMemory = (
    projectOf: (sessionId: string) => string | undefined = () => ""
  ): Layer.Layer<Memory> =>
    Layer.effect(
      Memory,
      Effect.suspend(() => make(LocalMemory.make(projectOf)))
    )

  /** In the table `memories`; sessions and their projects are those of the table `sessions`. */
  static readonly layerSql: Layer.Layer<Memory, never, Database> = Layer.effect(
    Memory,
    Effect.flatMap(SqlMemory.make, (store) => make(store))
  )
}

/** Characters of one text. */
export const maxText = 4000
/** Entries of one answer. */
const maxFound = 100
/** Values of `metadata`. */
const maxValues = 16
/** Characters of one of them. */
const maxValue = 200

const bounded = (limit: number): number => Math.max(0, Math.min(Math.trunc(limit), maxFound))

const refused = (reason: string) => Effect.fail(new MemoryRefused({ reason }))

const make = (store: MemoryStore): Effect.Effect<Memory["Type"]> =>
  Effect.map(Effect.all([Redactor, Effect.serviceOption(Embeddings)]), ([redactor, embeddings]) => ({
    record: Effect.fn("Memory.record")(function* ({
      kind = "note",
      metadata = {},
      scope,
      sessionId,
      text
    }: RecordOptions) {
      const said = text.trim()
      if (said === "") return yield* refused("the text is blank. Say what to remember.")
      if (said.length > maxText) {
        return yield* refused(`the text has ${said.length} characters; the limit is ${maxText}. Shorten it.`)
      }
      const createdAt = yield* Clock.currentTimeMillis
      const clean = redactor.text(said).toWellFormed()
      const known = Object.entries(metadata)
        .slice(0, maxValues)
        .map(([name, value]) => [name.slice(0, maxValue), redactor.text(value).slice(0, maxValue).toWellFormed()])
      const kept = yield* store.keep({
        sessionId,
        scope,
        kind,
        text: clean,
        fingerprint: fingerprintOf(clean),
        metadata: Object.fromEntries(known),
        createdAt
      })
      if (kept === undefined) {
        return yield* refused(`unknown session ${sessionId}.`)
      }
      return kept
    }),
    retrieve: Effect.fn("Memory.retrieve")((options: RetrieveOptions) => {
      const { limit = 10, minScore = 0, query, tokenBudget = Infinity } = options
      const embedder = Option.getOrUndefined(embeddings)
      const byMeaning = embedder === undefined ? Effect.succeed([]) : similar(store, embedder, options, query)
      return Effect.zipWith(store.search(options, wordsOf(query), maxFound), byMeaning, (words, meaning) =>
        select(combined(words, meaning, maxFound), { limit: bounded(limit), minScore, tokenBudget })
      )
    }),
    list: Effect.fn("Memory.list")((options: MemoryViewer & { readonly limit?: number; readonly before?: number }) =>
      store.list(options, bounded(options.limit ?? maxFound), options.before)
    ),
    find: store.find,
    forget: store.forget
  }))
