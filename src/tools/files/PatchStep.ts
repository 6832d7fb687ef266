import type { StructuredPatch } from "diff"

/** What is done to one file. Paths are as written in the patch, `a/` and `b/` removed; nothing has judged them. */
export type PatchStep =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  | { readonly kind: "delete"; readonly path: string; readonly edit?: Edit }
  | { readonly kind: "update"; readonly path: string; readonly moveTo?: string; readonly edit: Edit }

/** How the lines of a file change, in the terms of the format they came in. */
export type Edit =
  | { readonly format: "unified"; readonly patch: StructuredPatch }
  | { readonly format: "envelope"; readonly chunks: ReadonlyArray<Chunk> }

/** Neighbouring lines of a file and what becomes of them. */
export interface Chunk {
  /** A line that comes before them, to tell where they are. */
  readonly anchor?: string
  readonly lines: ReadonlyArray<{ readonly sign: " " | "-" | "+"; readonly text: string }>
  /** Whether they are the last of the file. */
  readonly atEnd: boolean
}

/** Why a text is no patch, and in which line, counted from 1. */
export interface PatchFault {
  readonly reason: string
  readonly line?: number
}
