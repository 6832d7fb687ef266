import { useEffect, useRef, useState } from "preact/hooks"
import { visibleLine } from "../../text/visible.ts"
import type { WaitingApproval } from "../../server/ApiSchema.ts"
import type { Scope } from "../../tool/ApprovalRequest.ts"
import { clockAhead } from "../Api.ts"
import { may } from "../Login.ts"
import { to } from "../Route.ts"
import { titleOf } from "../session/Sessions.ts"
import { left } from "../view/now.ts"
import { EditForm } from "./EditForm.tsx"
import { answer, type Decision, deadlineOf, step } from "./Queue.ts"
import { ReasonForm } from "./ReasonForm.tsx"
import { RequestBody } from "./RequestBody.tsx"
import { RuleConfirm } from "./RuleConfirm.tsx"
import { isDeliberate, isTyping, useStanding } from "./standing.ts"

/** What the person is about to say. */
type Aside = "none" | "reason" | "edit" | "always" | "wider"

const scopeWords: Readonly<Record<Scope, readonly [key: string, words: string]>> = {
  once: ["y", "Allow once"],
  task: ["t", "This task"],
  session: ["s", "This session"],
  always: ["a", "Always…"]
}

const Countdown = ({ waiting }: { readonly waiting: WaitingApproval }) => {
  const until = deadlineOf(waiting)
  if (until === undefined) return null
  return (
    <span class="countdown" role="timer">
      {left(until - clockAhead.value)} left
    </span>
  )
}

/** One request with its answers. What it shows is what its digest stands for; it is made anew for any other. */
export const RequestCard = ({
  position,
  total,
  waiting
}: {
  readonly waiting: WaitingApproval
  readonly position: number
  readonly total: number
}) => {
  const { project, request } = waiting
  const { because, risk, scopes, tool, wider, workerPath } = request
  const [aside, setAside] = useState<Aside>("none")
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const [hint, setHint] = useState("")
  const [read, setRead] = useState(false)
  const [sending, setSending] = useState(false)
  const standing = useStanding(`${request.digest} ${aside}`)
  const body = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const card = useRef<HTMLElement>(null)

  useEffect(() => {
    const [mark, root] = [end.current, body.current]
    if (mark === null) return
    const watcher = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setRead(true)
      },
      { root }
    )
    watcher.observe(mark)
    return () => watcher.disconnect()
  }, [])

  const send = async (decision: Decision) => {
    if (sending) return
    setSending(true)
    const refused = await answer(request, decision)
    setSending(false)
    setProblem(refused?.message)
    if (refused === undefined) setAside("none")
  }

  /** Sends a yes, if this event can be one. */
  const approve = (event: Event & { readonly shiftKey?: boolean }, decision: Omit<Decision, "decision">) => {
    if (!isDeliberate(event)) return setHint("pause, then press it by itself")
    if (!standing) return setHint("just shown · a moment")
    if (!read && event.shiftKey !== true)
      return setHint("not read to the end · scroll, or with Shift allow it as it stands")
    setHint("")
    return void send({ decision: "approve", ...decision })
  }
  const choose = (event: Event, scope: Scope) =>
    scope === "always"
      ? read || (event as KeyboardEvent).shiftKey
        ? setAside("always")
        : approve(event, { scope })
      : approve(event, { scope })
  const deny = (event: Event) => {
    if (!isDeliberate(event) || !standing) return setHint("pause, then press it by itself")
    return void send({ decision: "deny" })
  }
  const turn = (next: Aside) => {
    setHint("")
    setAside(next)
    // What was open is no longer where the focus could be.
    if (next === "none") card.current?.focus()
  }

  const widened = {
    always: { scope: "always" },
    wider: { scope: "session", ...(wider && { wider: wider.kind }) }
  } as const
  const decides = may("approve")
  const offers = (scope: Scope) => decides && scopes.includes(scope)

  const onKey = (event: KeyboardEvent) => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    if (aside === "always" || aside === "wider") {
      if (key === "Escape") turn("none")
      else if (key === "Enter") {
        approve(event, widened[aside])
      } else return
      return event.preventDefault()
    }
    if (aside !== "none") {
      if (key === "Escape") turn("none")
      return
    }
    const acts: Readonly<Record<string, () => void>> = {
      j: () => step(1),
      k: () => step(-1),
      ...(offers("once") && { y: () => choose(event, "once") }),
      ...(offers("task") && { t: () => choose(event, "task") }),
      ...(offers("session") && { s: () => choose(event, "session") }),
      ...(offers("always") && { a: () => choose(event, "always") }),
      ...(offers("session") && wider !== undefined && { w: () => turn("wider") }),
      ...(decides && { n: () => deny(event), r: () => turn("reason") }),
      ...(decides && request.masked === undefined && { e: () => turn("edit") }),
      d: () => body.current?.scrollBy({ top: body.current.clientHeight * 0.85 })
    }
    const act = acts[key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  const latest = useRef(onKey)
  latest.current = onKey
  useEffect(() => {
    const listen = (event: KeyboardEvent) => latest.current(event)
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [])

  const ready = standing && read
  const button = (scope: Scope) => {
    const [key, words] = scopeWords[scope]
    return offers(scope) ? (
      <button
        type="button"
        class={scope === "once" ? "allow" : "allow wider"}
        aria-disabled={!ready}
        aria-keyshortcuts={key}
        onClick={(event) => choose(event, scope)}
      >
        {words} <kbd>{key}</kbd>
      </button>
    ) : null
  }

  return (
    <article
      class={`request risk-${risk}`}
      ref={card}
      tabIndex={-1}
      aria-label={`${tool} asks for approval, ${risk} risk`}
      data-standing={standing}
      data-read={read}
    >
      <header class="request-head">
        <div class="request-title">
          <h2>{visibleLine(tool)}</h2>
          <span class={`risk ${risk}`}>{risk} risk</span>
          <span class="grow" />
          <Countdown waiting={waiting} />
          <span class="position">
            {position} of {total}
          </span>
        </div>
        <p class="origin">
          <a href={to("session", request.sessionId)}>{titleOf(request.sessionId)}</a>
          <span title={visibleLine(project)}> · {visibleLine(project.split("/").at(-1) ?? project)}</span>
          {workerPath.length > 1 ? <span class="path"> · {workerPath.map(visibleLine).join(" › ")}</span> : null}
        </p>
        {because === undefined ? null : (
          <p class="because">
            <b>Why you are asked:</b> {visibleLine(because)}
          </p>
        )}
      </header>
      {aside === "edit" ? (
        <div class="request-body">
          <EditForm
            request={request}
            problem={problem}
            onCancel={() => turn("none")}
            onDone={(parameters) => void send({ decision: "approve", scope: "once", parameters })}
          />
        </div>
      ) : (
        <>
          <div class="request-body" ref={body} tabIndex={0} role="group" aria-label="What would run">
            <RequestBody project={project} request={request} />
            <div ref={end} class="end-mark" />
          </div>
          <footer class="request-foot">
            {problem === undefined ? null : (
              <p class="warning" role="alert">
                {problem}
              </p>
            )}
            {aside === "reason" ? (
              <ReasonForm
                onCancel={() => turn("none")}
                onDone={(reason, stop) =>
                  void send({ decision: "deny", ...(reason === "" ? {} : { reason }), ...(stop ? { stop } : {}) })
                }
              />
            ) : aside === "always" || aside === "wider" ? (
              <RuleConfirm
                kind={aside}
                standing={standing}
                waiting={waiting}
                onCancel={() => turn("none")}
                onConfirm={(event) => approve(event, widened[aside])}
              />
            ) : decides ? (
              <div class="answers">
                <div class="actions">
                  <button type="button" class="deny" aria-disabled={!standing} aria-keyshortcuts="n" onClick={deny}>
                    Deny <kbd>n</kbd>
                  </button>
                  <button type="button" aria-keyshortcuts="r" onClick={() => turn("reason")}>
                    Why not… <kbd>r</kbd>
                  </button>
                  {request.masked === undefined ? (
                    <button type="button" aria-keyshortcuts="e" onClick={() => turn("edit")}>
                      Edit <kbd>e</kbd>
                    </button>
                  ) : null}
                </div>
                <div class="actions">
                  {button("once")}
                  {button("task")}
                  {button("session")}
                  {wider !== undefined && offers("session") ? (
                    <button
                      type="button"
                      class="allow wider"
                      aria-disabled={!ready}
                      aria-keyshortcuts="w"
                      onClick={() => turn("wider")}
                    >
                      Wider… <kbd>w</kbd>
                    </button>
                  ) : null}
                  {button("always")}
                </div>
              </div>
            ) : (
              <p class="quiet">Your token can view requests but not answer them.</p>
            )}
            <p class="hint" role="status">
              {hint !== "" ? hint : read ? "" : "read to the end to allow it"}
              {hint === "" && !read ? <span class="keys"> · d goes on</span> : null}
            </p>
          </footer>
        </>
      )}
    </article>
  )
}
