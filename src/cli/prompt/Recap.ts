import * as Effect from "effect/Effect"
import type { Envelope } from "../../runtime/Envelope.ts"
import { isRewound } from "../../runtime/Rewound.ts"
import type { SessionStore } from "../../runtime/SessionStore.ts"
import { isImportedPrompt } from "../../ui/narration/Imported.ts"
import { Narrator, type Step } from "../../ui/Narrator.ts"
import { many } from "../../ui/Words.ts"
import type { Style } from "../terminal/Style.ts"
import { Transcript } from "../terminal/transcript/Transcript.ts"
import { retold } from "./retold.ts"

/** Events of a stored session that are looked through from its end on. */
export const lookedThrough = 500
/** Prompts that are shown, with what came of them. */
const shownPrompts = 2
/** Rows of them. */
const shownRows = 40

/** What stood last in a conversation. */
export interface Recap {
  /** The last events of the session, in order. */
  readonly events: ReadonlyArray<Envelope>
  /** The prompts of the conversation that still count, those of the events included. */
  readonly prompts: number
}

/** The prompts of a session that still count, the first one first, by the numbers of their events. */
export const promptsOf = (store: SessionStore["Type"], session: string) =>
  Effect.zipWith(store.tagged(session, ["TaskStarted"]), store.rewound(session), (begun, rewound) =>
    begun.flatMap(({ event, seq, time }) =>
      event._tag === "TaskStarted" && event.message?.message.role === "user" && !isRewound(rewound, seq)
        ? [{ seq, time, text: event.message.message.content }]
        : []
    )
  )

/** How many prompts an imported session brought. */
export const importedPrompts = (store: SessionStore["Type"], session: string) =>
  Effect.map(store.tagged(session, ["MessageRecorded"]), (recorded) =>
    recorded.reduce((sum, { event, worker = [] }) => sum + (isImportedPrompt(event) && worker.length < 2 ? 1 : 0), 0)
  )

const isPrompt = ({ event, worker = [] }: Envelope): boolean =>
  event._tag === "TaskStarted" ? event.message !== undefined : isImportedPrompt(event) && worker.length < 2

/** The end of a task whose beginning is not told: nobody knows how many requests and calls it was. */
const uncounted = (step: Step): Step => (step._tag === "TaskEnded" ? { ...step, requests: 0, calls: 0 } : step)

/** The last exchanges of a session as rows, and what is above them; nothing where there was none. */
export const rows = (
  { events, prompts }: Recap,
  { style, width }: { readonly style: Style; readonly width: () => number }
): ReadonlyArray<string> => {
  const begins = events.flatMap((envelope, index) => (isPrompt(envelope) ? [index] : []))
  // Of a task that began before the events that are looked through, as much as these tell.
  const from = begins.at(-shownPrompts) ?? 0
  const narrator = new Narrator()
  // What is folded here cannot be opened, as it can where nothing is live.
  const transcript = new Transcript({ style, width, split: false, live: false })
  const shownEvents = events.slice(from)
  const begun = new Set(shownEvents.flatMap(({ event, task }) => (event._tag === "TaskStarted" ? [task] : [])))
  const written = shownEvents.flatMap((envelope) => {
    const steps = narrator.tell(envelope)
    return (begun.has(envelope.task) ? steps : steps.map(uncounted)).flatMap((step) => retold(transcript, step))
  })
  const text = [...written, ...transcript.end()].map((one) => one.text).join("")
  if (prompts === 0 || text.trim() === "") return []
  const all = text.replace(/^\n+|\n+$/g, "").split("\n")
  const shown = all.slice(-shownRows)
  const earlier = prompts - Math.min(begins.length, shownPrompts)
  const above = [
    ...(all.length > shown.length ? [many(all.length - shown.length, "row")] : []),
    ...(earlier > 0 ? [many(earlier, "earlier prompt")] : [])
  ]
  return [...(above.length === 0 ? [] : [style.dim(`… ${above.join(" and ")} not shown`), ""]), ...shown]
}
