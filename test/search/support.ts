import { Effect, Layer } from "effect"
import { Database } from "../../src/database/Database.ts"
import { type Embedder, Embeddings } from "../../src/search/Embeddings.ts"
import type { Filter, Role } from "../../src/search/Search.ts"
import { Search } from "../../src/search/Search.ts"
import * as SqlSearch from "../../src/search/SqlSearch.ts"

/** A message as a test tells it. */
export interface Said {
  readonly role?: Role
  readonly text: string
  readonly tool?: string
  readonly time?: number
  readonly calls?: ReadonlyArray<readonly [name: string, parameters: unknown]>
}

const tags = { user: "TaskStarted", assistant: "ModelAnswered", tool: "ToolCallCompleted", system: "SessionCompacted" }

/** The event of a message as the log has it. */
export const eventOf = ({ calls, role = "user", text, tool }: Said): readonly [tag: string, json: string] => {
  const asked = calls?.map(([name, parameters], at) => ({
    id: `call_${at}`,
    type: "function",
    function: { name, arguments: JSON.stringify(parameters) }
  }))
  const message = { role, content: text, ...(asked === undefined ? {} : { tool_calls: asked }) }
  const event = { _tag: tags[role], ...(tool === undefined ? {} : { tool }), message: { id: "m", message } }
  return [tags[role], JSON.stringify(event)]
}

export const insertSession =
  "INSERT INTO sessions (id, project, profile, title, created_at, updated_at, epoch, head) VALUES (?, ?, '', ?, 0, ?, 1, ?)"
export const insertEvent =
  "INSERT INTO events (session_id, seq, epoch, time, tag, worker, event) VALUES (?, ?, 1, ?, ?, 'root', ?)"

/** Stores a session with these messages. */
export const record = (session: string, said: ReadonlyArray<Said | string>, project = "/p") =>
  Effect.flatMap(Database, (database) =>
    database.write((connection) =>
      Effect.gen(function* () {
        yield* connection.executeRaw(insertSession, [session, project, `about ${session}`, 0, said.length])
        for (const [at, one] of said.entries()) {
          const message = typeof one === "string" ? { text: one } : one
          yield* connection.executeRaw(insertEvent, [session, at + 1, message.time ?? at, ...eventOf(message)])
        }
      })
    )
  )

/** The hits as `session:seq`, the best first. */
export const find = (
  query: string,
  filter: Filter & { readonly limit?: number; readonly by?: "text" | "meaning" } = {}
) =>
  Effect.flatMap(Search, (search) =>
    Effect.map(search.find({ query, ...filter }), ({ hits }) => hits.map(({ seq, session }) => `${session}:${seq}`))
  )

/** A search in a file, by that embedder. */
export const inFile = (file: string, embedder?: Embedder) =>
  SqlSearch.layer.pipe(
    Layer.provideMerge(Layer.succeed(Embeddings, embedder)),
    Layer.provideMerge(Database.layer(file))
  )
