import { useContext, useState } from "preact/hooks"
import type { Envelope } from "../../runtime/Envelope.ts"
import { makeVisible, oneLine, visibleLine } from "../../text/visible.ts"
import { many } from "../../ui/Words.ts"
import { Code } from "../text/Code.tsx"
import { Fold } from "../session/Fold.ts"
import { Project } from "./place.ts"
import { Row } from "./Row.tsx"
import { Virtual } from "./Virtual.tsx"

interface Props {
  readonly title: string
  /** In order. */
  readonly events: ReadonlyArray<Envelope>
  readonly revision: number
  /** Reads what is before the first of them, if there is something. */
  readonly onEarlier?: (() => void) | undefined
}

/** Rows of the conversation that a moment of the log shows: the last ones. */
const lastRows = 40

const groups: Readonly<Record<string, RegExp>> = {
  all: /^/,
  calls: /^(?:Tool|File|Hook)/,
  approvals: /^(?:Approval|Reviewer)/,
  models: /^(?:Model|Iteration|Budget)/,
  workers: /^Worker/,
  tasks: /^(?:Task|Session)/
}

/** What an event is about, on one line. */
const about = ({ event }: Envelope): string => {
  const { message, prompt, request, text, tool } = event as object as Readonly<Record<string, unknown>>
  if (typeof tool === "string") return tool
  if (typeof prompt === "string") return prompt
  if (typeof request === "object" && request !== null && "message" in request) return String(request.message)
  if (typeof text === "string") return text
  return typeof message === "string" ? message : ""
}

const clock = (time: number): string => new Date(time).toISOString().slice(11, 23)

/** The conversation as it was when an event had happened. */
const Moment = ({ at, events }: { readonly events: ReadonlyArray<Envelope>; readonly at: number }) => {
  const known = useContext(Project)
  const first = events[0]?.event
  const fold = new Fold()
  for (const envelope of events.slice(0, at + 1)) fold.step(envelope)
  return (
    <div class="moment" tabIndex={0} role="group" aria-label="The conversation by then">
      <Project.Provider value={first?._tag === "SessionCreated" ? first.project : known}>
        {fold.items.slice(-lastRows).map((item) => (
          <Row key={item.key} item={item} revision={item.revision} />
        ))}
      </Project.Provider>
    </div>
  )
}

/** The log of a session: every event, by kind, and the conversation at any moment of it. */
export const Timeline = ({ events, onEarlier, revision, title }: Props) => {
  const [group, setGroup] = useState("all")
  const [at, setAt] = useState<number | undefined>(undefined)
  const pattern = groups[group] ?? /^/
  const shown = group === "all" ? events : events.filter(({ event }) => pattern.test(event._tag))
  const position = Math.min(at ?? events.length - 1, events.length - 1)
  const current = events[position]
  const chosen = at === undefined ? -1 : shown.findLastIndex(({ seq }) => seq <= (current?.seq ?? 0))
  return (
    <section class="timeline" aria-label="Timeline">
      <header class="session-head">
        <h1>{oneLine(title)}</h1>
        <span class="quiet">{many(events.length, "event")}</span>
        {onEarlier === undefined ? null : (
          <button type="button" class="small" onClick={onEarlier}>
            Read all
          </button>
        )}
        <span class="grow" />
        <label class="mode">
          show{" "}
          <select value={group} onChange={({ currentTarget }) => setGroup(currentTarget.value)}>
            {Object.keys(groups).map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </label>
      </header>
      <div class="scrub">
        <input
          type="range"
          min={0}
          max={Math.max(0, events.length - 1)}
          value={position}
          aria-label="Position in the log"
          aria-valuetext={current === undefined ? "" : `event ${current.seq}, ${current.event._tag}`}
          onInput={({ currentTarget }) => setAt(Number(currentTarget.value))}
        />
        <output>{current === undefined ? "" : `${current.seq} · ${clock(current.time)}`}</output>
      </div>
      <div class="timeline-columns">
        <Virtual
          class="events"
          label="Events"
          count={shown.length}
          keyOf={(index) => String(shown[index]?.seq)}
          estimate={25}
          follows={at === undefined}
          shown={chosen < 0 ? undefined : chosen}
          revision={revision}
          row={(index) => {
            const envelope = shown[index]
            if (envelope === undefined) return null
            return (
              <button
                type="button"
                class="event"
                aria-current={envelope === current}
                onClick={() => setAt(events.indexOf(envelope))}
              >
                <span class="event-seq">{envelope.seq}</span>
                <span class="event-time">{clock(envelope.time)}</span>
                <b>{visibleLine(envelope.event._tag)}</b>
                <span class="event-worker">{(envelope.worker ?? []).slice(1).map(visibleLine).join(" › ")}</span>
                <span class="event-about">{makeVisible(about(envelope).slice(0, 200).replaceAll(/\s+/g, " "))}</span>
              </button>
            )
          }}
        />
        <div class="inspect">
          {current === undefined ? null : (
            <>
              <details>
                <summary>
                  Event {current.seq}: {visibleLine(current.event._tag)}
                </summary>
                <Code text={JSON.stringify(current, undefined, 2)} language="json" />
              </details>
              <Moment events={events} at={position} />
            </>
          )}
        </div>
      </div>
    </section>
  )
}
