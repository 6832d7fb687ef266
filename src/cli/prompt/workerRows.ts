import type { Envelope } from "../../runtime/Envelope.ts"
import { isSame, root, type WorkerPath } from "../../tool/WorkerPath.ts"
import type { Display } from "../../ui/Display.ts"
import { Narrator } from "../../ui/Narrator.ts"
import { plain } from "../terminal/Style.ts"
import { Transcript } from "../terminal/transcript/Transcript.ts"
import { retold } from "./retold.ts"

/** What begins and ends the worker itself, of which the transcript of a conversation knows nothing. */
const ofWorker = ({ event }: Envelope): ReadonlyArray<Display> => {
  switch (event._tag) {
    case "WorkerStarted":
      return [{ _tag: "Prompt", text: event.task }]
    case "WorkerCompleted":
      return event.question === undefined
        ? []
        : [{ _tag: "Note", level: "info", text: `needs to know: ${event.question}` }]
    case "WorkerFailed":
      return [{ _tag: "Note", level: "error", text: event.message }]
    case "WorkerInterrupted":
      return [{ _tag: "Note", level: "warning", text: "interrupted" }]
    default:
      return []
  }
}

/** What a sub-worker and those below it did, told as the conversation of a root: its task, its calls, what it said. */
export const workerRows = (
  path: WorkerPath,
  events: ReadonlyArray<Envelope>,
  width: () => number
): ReadonlyArray<string> => {
  const narrator = new Narrator()
  const transcript = new Transcript({ style: plain, width, split: false, live: false })
  const written = events.flatMap((envelope) => {
    const worker = envelope.worker ?? []
    const own = isSame(worker, path) ? ofWorker(envelope) : []
    const steps = narrator.tell({ ...envelope, worker: [...root, ...worker.slice(path.length)] })
    return [
      ...steps.flatMap((step) => retold(transcript, step)),
      ...own.flatMap((display) => transcript.render(display))
    ]
  })
  const text = written.map((one) => one.text).join("")
  return [...text.replace(/^\n+|\n+$/g, "").split("\n"), ...transcript.live()]
}
