import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { SessionNotFound, SessionStore } from "../runtime/SessionStore.ts"
import type { Omissions } from "./Document.ts"
import { html } from "./Html.ts"
import { json } from "./Json.ts"
import { markdown } from "./Markdown.ts"
import { find } from "./StoredSession.ts"

/** What a session can be written as. */
export const ExportFormat = Schema.Literal("json", "markdown", "html")
export type ExportFormat = typeof ExportFormat.Type

/** How the name of a file of each format ends. */
export const extensions: Readonly<Record<ExportFormat, string>> = { json: "json", markdown: "md", html: "html" }

/** Entries that are written at once. */
const batch = 64

const writers = { json, markdown, html }

/** A stored session as text, in pieces, without secrets. */
export const exported = (
  session: string,
  format: ExportFormat,
  omitted: Omissions = {}
): Effect.Effect<Stream.Stream<string, DatabaseError>, SessionNotFound | DatabaseError, SessionStore> =>
  // Only JSON is the whole session; the others are the conversation as it counts.
  Effect.map(find(session, format === "json" ? omitted : { ...omitted, rewound: true }), (found) =>
    Stream.rechunk(writers[format](found), batch).pipe(
      Stream.mapChunks((chunk) => Chunk.of(Chunk.join(chunk, ""))),
      Stream.filter((text) => text !== "")
    )
  )
