import * as Effect from "effect/Effect"
import { extract, type Extracted } from "./Extraction.ts"
import type { Memory } from "./Memory.ts"
import type { MemoryEntry } from "./MemoryEntry.ts"
import type { MemoryFailed } from "./MemoryError.ts"
import type { Recalled } from "./Relevance.ts"

/** What is remembered of itself, without a tool. */
export interface MemorySettings {
  /** Whether notes that fit a prompt are put before it. Default: true. */
  readonly recall?: boolean
  /** How notes are taken from a conversation: from what the person states, by the model as well, or not. Default: `patterns`. */
  readonly extract?: "patterns" | "model" | "off"
}

/** What the sessions of a project remember and keep without being told to. */
export interface ProjectMemory {
  /** The notes that fit a prompt, the best first: at most 5, at most 1,000 tokens. */
  readonly recall: (sessionId: string, prompt: string) => Effect.Effect<ReadonlyArray<Recalled>, MemoryFailed>
  /** Keeps what a person states in a prompt for the project, since the words are theirs; gives what is new. */
  readonly learn: (of: Learned, prompt: string) => Effect.Effect<ReadonlyArray<MemoryEntry>, MemoryFailed>
  /** Keeps what a model took from a task for the session alone: nobody has approved it; gives what is new. */
  readonly keep: (
    of: Learned,
    found: ReadonlyArray<Extracted>
  ) => Effect.Effect<ReadonlyArray<MemoryEntry>, MemoryFailed>
  /** Whether the model is asked what to keep. */
  readonly asksModel: boolean
}

/** Where a note comes from. */
export interface Learned {
  readonly sessionId: string
  readonly task: string
}

const limit = 5
const tokenBudget = 1000
/** What a note needs at least, as a share of the best one's score. */
const minScore = 0.4

/** Words that say nothing of what a prompt is about. */
const common = new Set(
  (
    "about after again also and any are because been before but can could does done file files for from have here how into just like " +
    "make more need new not now one only our out please should show some that the their them then there these they this use " +
    "was way were what when where which who why will with would you your"
  ).split(" ")
)

/** Characters of a prompt that are looked through: what a query takes, with its common words. */
const maxPrompt = 20_000

/** The words of a prompt that can tell one note from another. */
const tellingWords = (prompt: string): string =>
  (prompt.slice(0, maxPrompt).match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [])
    .filter((word) => (word.length > 2 || /\P{ASCII}/u.test(word)) && !common.has(word.toLowerCase()))
    .join(" ")

export const make = (memory: Memory["Type"], settings: MemorySettings = {}): ProjectMemory => {
  const { extract: how = "patterns", recall = true } = settings
  const record =
    (scope: "session" | "project", origin: string) =>
    ({ sessionId, task }: Learned, found: ReadonlyArray<Extracted>) =>
      Effect.map(
        Effect.forEach(found, ({ kind, text }) =>
          Effect.catchTag(
            memory.record({ sessionId, scope, kind, text, metadata: { origin, task } }),
            // A text that is none to keep is left out.
            "MemoryRefused",
            () => Effect.succeed(undefined)
          )
        ),
        (kept) => kept.flatMap((one) => (one?.added === true ? [one.entry] : []))
      )
  const learn = record("project", "prompt")
  return {
    recall: (sessionId, prompt) => {
      const query = tellingWords(prompt)
      return recall && query !== ""
        ? memory.retrieve({ sessionId, query, limit, minScore, tokenBudget })
        : Effect.succeed([])
    },
    learn: (of, prompt) => (how === "off" ? Effect.succeed([]) : learn(of, extract(prompt))),
    keep: record("session", "model"),
    asksModel: how === "model"
  }
}
