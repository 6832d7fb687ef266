import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Message } from "../conversation/Message.ts"
import type { Snippet } from "./Snippet.ts"

/** The query has nothing to search by. */
export class SearchInvalid extends Schema.TaggedError<SearchInvalid>()("SearchInvalid", { reason: Schema.String }) {
  override get message() {
    return `Nothing was searched: ${this.reason}`
  }
}

/** The messages could not be searched. */
export class SearchFailed extends Schema.TaggedError<SearchFailed>()("SearchFailed", { reason: Schema.String }) {
  override get message() {
    return `The search failed: ${this.reason}`
  }
}

export type Role = Message["role"]
export const roles: ReadonlyArray<Role> = ["user", "assistant", "tool", "system"]

/** Which messages count. */
export interface Filter {
  readonly session?: string | undefined
  /** Sessions of this project. */
  readonly project?: string | undefined
  /** Sessions of the project that this session belongs to. */
  readonly projectOf?: string | undefined
  readonly roles?: ReadonlyArray<Role> | undefined
  /** Results of this tool. */
  readonly tool?: string | undefined
  /** Epoch milliseconds, inclusive. */
  readonly since?: number | undefined
  /** Epoch milliseconds, exclusive. */
  readonly until?: number | undefined
}

export interface SearchOptions extends Filter {
  /** Any text; none of it is syntax, and its first 64 words count. */
  readonly query: string
  /** From 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** What a hit needs at least, from 0 to 1. */
  readonly minScore?: number | undefined
  /** How messages are found; by text and by meaning if unset. */
  readonly by?: "text" | "meaning" | undefined
}

/** A message that was found. */
export interface Hit {
  readonly session: string
  /** The number of its event in the session. */
  readonly seq: number
  readonly project: string
  /** Of the session. */
  readonly title: string
  readonly role: Role
  /** The tool whose result it is. */
  readonly tool?: string
  readonly time: number
  /** The session was rewound to before it: it no longer counts. */
  readonly rewound?: true
  /** 1 where each way of searching has it first; ranks are fused by their reciprocals. */
  readonly score: number
  readonly by: "text" | "meaning" | "both"
  readonly snippet: Snippet
}

export interface Found {
  readonly hits: ReadonlyArray<Hit>
  /** What was not searched, and why; a sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** Finds messages of all sessions by their words and by what they mean. */
export class Search extends Context.Tag("tollgate/search/Search")<
  Search,
  {
    /** The best hits first. */
    readonly find: (options: SearchOptions) => Effect.Effect<Found, SearchInvalid | SearchFailed>
  }
>() {}
