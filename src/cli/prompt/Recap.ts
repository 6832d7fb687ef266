import type { StoredMessage } from "../../conversation/Message.ts"
import type { Envelope } from "../../runtime/Envelope.ts"
import { Narrator } from "../../ui/Narrator.ts"
import { many } from "../../ui/Words.ts"
import type { Style } from "../terminal/Style.ts"
import { Transcript } from "../terminal/transcript/Transcript.ts"
import { retold } from "./retold.ts"

/** Events of a stored session that are looked through from its end on. */
export const lookedThrough = 500
/** Messages of its conversation that are counted. */
export const countedMessages = 1000
/** Prompts that are shown, with what came of them. */
const shownPrompts = 2
/** Rows of them. */
const shownRows = 40

/** What stood last in a conversation. */
export interface Recap {
  /** The last events of the session, in order. */
  readonly events: ReadonlyArray<Envelope>
  /** The last messages of the conversation. */
  readonly messages: ReadonlyArray<StoredMessage>
}

/** The last exchanges of a session as rows, and what is above them; nothing where there was none. */
export const rows = (
  { events, messages }: Recap,
  { style, width }: { readonly style: Style; readonly width: () => number }
): ReadonlyArray<string> => {
  const prompts = messages.filter(({ message }) => message.role === "user").length
  const begins = events.flatMap(({ event }, index) =>
    event._tag === "TaskStarted" && event.message !== undefined ? [index] : []
  )
  // Of a task that began before the events that are looked through, as much as these tell.
  const from = begins.at(-shownPrompts) ?? 0
  const narrator = new Narrator()
  // What is folded here cannot be opened, as it can where nothing is live.
  const transcript = new Transcript({ style, width, split: false, live: false })
  const written = events
    .slice(from)
    .flatMap((envelope) => narrator.tell(envelope).flatMap((step) => retold(transcript, step)))
  const text = [...written, ...transcript.end()].map((one) => one.text).join("")
  if (prompts === 0 || text.trim() === "") return []
  const all = text.replace(/^\n+|\n+$/g, "").split("\n")
  const shown = all.slice(-shownRows)
  const earlier = prompts - Math.min(begins.length, shownPrompts)
  const more = messages.length >= countedMessages ? "at least " : ""
  const above = [
    ...(all.length > shown.length ? [many(all.length - shown.length, "row")] : []),
    ...(earlier > 0 ? [`${more}${many(earlier, "earlier prompt")}`] : [])
  ]
  return [...(above.length === 0 ? [] : [style.dim(`… ${above.join(" and ")} above`), ""]), ...shown]
}
