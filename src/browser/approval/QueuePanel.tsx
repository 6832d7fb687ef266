import { visibleLine } from "../../text/visible.ts"
import { many } from "../../ui/Words.ts"
import { to } from "../Route.ts"
import { titleOf } from "../session/Sessions.ts"
import { missed, queue, queueProblem, select, selected } from "./Queue.ts"
import { RequestCard } from "./RequestCard.tsx"
import { NotifyButton } from "./Notifier.tsx"

/** What is asked, on one line of the list. */
const Line = ({ id }: { readonly id: string }) => {
  const waiting = queue.value.find(({ request }) => request.id === id)
  if (waiting === undefined) return null
  const { message, risk, tool } = waiting.request
  const isSelected = selected.value === waiting
  return (
    <li>
      <button type="button" class={`queue-entry risk-${risk}`} aria-current={isSelected} onClick={() => select(id)}>
        <b>{visibleLine(tool)}</b> <span class="queue-message">{visibleLine(message)}</span>
      </button>
    </li>
  )
}

/** Says that an answer came too late, where the card that it was given on is gone. */
const MissedAnswer = () => {
  if (missed.value === undefined) return null
  const { message, sessionId, tool } = missed.value
  return (
    <div class="warning missed" role="alert">
      <p>
        Your answer to {visibleLine(tool)} in <a href={to("session", sessionId)}>{titleOf(sessionId)}</a> did not count.{" "}
        {visibleLine(message)}
      </p>
      <button type="button" onClick={() => (missed.value = undefined)}>
        Dismiss
      </button>
    </div>
  )
}

/** The one queue of requests over all sessions. */
export const QueuePanel = () => {
  const all = queue.value
  const one = selected.value
  if (one === undefined) {
    return (
      <section class="queue empty" aria-label="Approvals">
        <h1>Nothing waits for you</h1>
        <p class="quiet">Calls that need a yes appear here, from every session.</p>
        <MissedAnswer />
        {queueProblem.value === undefined ? null : <p class="warning">{queueProblem.value.message}</p>}
        <NotifyButton />
      </section>
    )
  }
  const { digest, id } = one.request
  return (
    <section class="queue" aria-label="Approvals">
      <header class="queue-head">
        <h1>
          {many(all.length, "call")} {all.length === 1 ? "waits" : "wait"} for you
        </h1>
        <span class="grow" />
        <NotifyButton />
      </header>
      <MissedAnswer />
      {all.length > 1 ? (
        <ol class="queue-list">
          {all.slice(0, 50).map(({ request }) => (
            <Line key={request.id} id={request.id} />
          ))}
        </ol>
      ) : null}
      <RequestCard key={`${id} ${digest}`} waiting={one} position={all.indexOf(one) + 1} total={all.length} />
    </section>
  )
}
