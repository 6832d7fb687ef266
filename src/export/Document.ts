import * as Schema from "effect/Schema"
import { AssistantMessage, SystemMessage, ToolMessage, UserMessage } from "../conversation/Message.ts"

/** What the file of a session says of itself first. */
export const format = "tollgate-session"

/** The version of the document; readers refuse a higher one. */
export const version = 1

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** Epoch milliseconds that a date can have. */
export const Time = Schema.Number.pipe(Schema.int(), Schema.between(-8.64e15, 8.64e15))

/** The session that a document is of; all but the first three is metadata. */
export const DocumentSession = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  createdAt: optional(Time),
  updatedAt: optional(Time),
  status: optional(Schema.String),
  profile: optional(Schema.String),
  project: optional(Schema.String),
  directory: optional(Schema.String)
})
export type DocumentSession = typeof DocumentSession.Type

/** Where something belongs inside the session. */
const place = {
  task: optional(Schema.String),
  iteration: optional(Schema.Number),
  /** From the root worker to the one whose it is; of the root if unset. */
  worker: optional(Schema.Array(Schema.String))
}

/** What comes with a message besides the message itself. */
export const MessageFields = Schema.Struct({
  id: optional(Schema.String),
  createdAt: optional(Time),
  reasoning: optional(Schema.String),
  ...place,
  /** The event that brought it, and the other fields of that. */
  event: optional(Schema.String),
  details: optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  /** What the backend of its model wants back; it goes to no other. */
  provider: optional(Schema.Unknown),
  /** The session was rewound to before it: it is no longer part of the conversation. */
  rewound: optional(Schema.Literal(true))
})
export type MessageFields = typeof MessageFields.Type

const fields = MessageFields.fields

/** A message in the shape of OpenAI's Chat Completions, with what Tollgate knows of it. */
export const DocumentMessage = Schema.Union(
  Schema.Struct({ ...fields, ...SystemMessage.fields }),
  Schema.Struct({ ...fields, ...UserMessage.fields }),
  Schema.Struct({ ...fields, ...AssistantMessage.fields }),
  Schema.Struct({ ...fields, ...ToolMessage.fields })
)
export type DocumentMessage = typeof DocumentMessage.Type

/** An event that brought no message; data, whatever it says. */
export const DocumentEvent = Schema.Struct({
  /** How many messages of the document come before it. */
  after: Schema.Number.pipe(Schema.int(), Schema.nonNegative()),
  time: optional(Time),
  ...place,
  event: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})
export type DocumentEvent = typeof DocumentEvent.Type

/** One line of a document. */
export const Entry = Schema.Union(
  Schema.Struct({ message: DocumentMessage }),
  Schema.Struct({ happened: DocumentEvent })
)
export type Entry = typeof Entry.Type

/** The names of a message in the order in which they are written. */
const names = [
  "id",
  "role",
  "content",
  "images",
  "tool_calls",
  "tool_call_id",
  "reasoning",
  "createdAt",
  "task",
  "iteration",
  "worker",
  "event",
  "details",
  "provider",
  "rewound"
]

/** The message with its names in the order of the format. */
export const ordered = (message: DocumentMessage): DocumentMessage => {
  const found: Readonly<Record<string, unknown>> = { ...message }
  return Object.fromEntries(
    names.flatMap((name) => (found[name] === undefined ? [] : [[name, found[name]]]))
  ) as unknown as DocumentMessage
}

/** What an export leaves out. */
export interface Omissions {
  readonly system?: boolean
  readonly calls?: boolean
  /** Places, times, usage, and the events that brought no message. */
  readonly metadata?: boolean
  /** What the session was rewound to before. */
  readonly rewound?: boolean
}

const withoutCalls = (message: DocumentMessage): DocumentMessage | undefined => {
  if (message.role === "tool") return undefined
  if (message.role !== "assistant" || message.tool_calls === undefined) return message
  const { tool_calls: _, ...rest } = message
  return (rest.content ?? "") === "" && rest.reasoning === undefined ? undefined : rest
}

const withoutMetadata = (message: DocumentMessage): DocumentMessage => {
  const { createdAt: _, details: _1, event: _2, iteration: _3, provider: _4, task: _5, ...rest } = message
  return rest
}

/** Whether an event tells of a call. */
const ofCall = (event: Readonly<Record<string, unknown>>): boolean =>
  ["callId", "request", "goesOn", "waits"].some((name) => name in event)

/** The entry without what is to be left out; nothing where nothing is left. */
export const keep = (
  entry: Entry,
  { calls = false, metadata = false, rewound = false, system = false }: Omissions
): Entry | undefined => {
  if ("happened" in entry) return metadata || (calls && ofCall(entry.happened.event)) ? undefined : entry
  if (system && entry.message.role === "system") return undefined
  if (rewound && entry.message.rewound === true) return undefined
  const message = calls ? withoutCalls(entry.message) : entry.message
  if (message === undefined) return undefined
  return { message: metadata ? withoutMetadata(message) : message }
}

/** The session without its metadata. */
export const keepSession = (session: DocumentSession, { metadata = false }: Omissions): DocumentSession => {
  const { createdAt, id, title } = session
  return metadata ? { id, title, ...(createdAt === undefined ? {} : { createdAt }) } : session
}
