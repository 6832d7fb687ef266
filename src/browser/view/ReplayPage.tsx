import { signal } from "@preact/signals"
import type { Envelope } from "../../runtime/Envelope.ts"
import { Timeline } from "./Timeline.tsx"

interface Recording {
  readonly name: string
  readonly events: ReadonlyArray<Envelope>
}

const recording = signal<Recording | undefined>(undefined)
const problem = signal<string | undefined>(undefined)

const isEnvelope = (value: unknown): value is Envelope =>
  typeof value === "object" &&
  value !== null &&
  "version" in value &&
  value.version === 1 &&
  "seq" in value &&
  typeof value.seq === "number" &&
  "event" in value &&
  typeof value.event === "object" &&
  value.event !== null &&
  "_tag" in value.event

/** The durable events of a file of `tollgate events --jsonl`; which line is none. */
const read = (text: string): ReadonlyArray<Envelope> | number => {
  const events: Array<Envelope> = []
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    try {
      const value: unknown = JSON.parse(line)
      if (!isEnvelope(value)) return index + 1
      if (value.transient !== true) events.push(value)
    } catch {
      return index + 1
    }
  }
  return events
}

const open = async (file: File | undefined): Promise<void> => {
  if (file === undefined) return
  const found = read(await file.text())
  problem.value =
    typeof found === "number"
      ? `Line ${found} of ${file.name} is not an event; write such a file by tollgate events ID --jsonl.`
      : undefined
  recording.value = typeof found === "number" ? undefined : { name: file.name, events: found }
}

/** Plays a file of events that is dropped here; nothing of it is sent anywhere. */
export const ReplayPage = () => {
  const { value } = recording
  const take = (event: DragEvent) => {
    event.preventDefault()
    void open(event.dataTransfer?.files[0])
  }
  return (
    <section class="replay" aria-label="Replay" onDragOver={(event) => event.preventDefault()} onDrop={take}>
      {value === undefined ? (
        <div class="drop">
          <h1>Replay a file</h1>
          <p>Drop a file of events here, or choose one. It stays in this browser.</p>
          <label class="button">
            Choose a file
            <input
              type="file"
              class="hidden"
              accept=".jsonl,.ndjson,.txt"
              onChange={({ currentTarget }) => void open(currentTarget.files?.[0])}
            />
          </label>
          {problem.value === undefined ? null : (
            <p class="warning" role="alert">
              {problem.value}
            </p>
          )}
        </div>
      ) : (
        <Timeline title={value.name} events={value.events} revision={0} />
      )}
    </section>
  )
}
