import type { VNode } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { duration } from "../../text/duration.ts"
import { money } from "../../text/money.ts"
import { makeVisible, oneLine, visibleLine } from "../../text/visible.ts"
import { many } from "../../ui/Words.ts"
import { may } from "../Login.ts"
import { go, to } from "../Route.ts"
import type { WrittenPolicy } from "../../approval/ApprovalPolicy.ts"
import type { Feed } from "../session/Feed.ts"
import type { Item } from "../session/Item.ts"
import { moveDraft } from "../session/Drafts.ts"
import { command, listedTitle, loadSessions, nameOf, submit } from "../session/Sessions.ts"
import { interrupt } from "../session/interrupt.ts"
import { isOpen, type Worker } from "../session/Workers.ts"
import { Composer } from "./Composer.tsx"
import { modes } from "./modes.ts"
import { now } from "./now.ts"
import { Row } from "./Row.tsx"
import { manage } from "./SessionDialog.tsx"
import { Virtual } from "./Virtual.tsx"

/** The rows as they were last shown: what has not changed is not made anew. */
const rows = new WeakMap<Item, { readonly revision: number; readonly row: VNode }>()

const rowOf = (item: Item, session: string): VNode => {
  const known = rows.get(item)
  if (known?.revision === item.revision) return known.row
  const row = <Row item={item} revision={item.revision} session={session} />
  rows.set(item, { revision: item.revision, row })
  return row
}

const Mode = ({ feed, onProblem }: { readonly feed: Feed; readonly onProblem: (text: string | undefined) => void }) => {
  void feed.revision.value
  const mode = feed.fold.mode ?? feed.detail.value?.mode
  if (mode === undefined) return null
  const change = async (policy: string) => {
    const refused = await command(feed.session, {
      _tag: "SetApprovalPolicy",
      policy: policy as typeof WrittenPolicy.Type
    })
    onProblem(refused?.message)
    feed.revision.value++
  }
  return (
    <label class="mode">
      mode{" "}
      <select
        value={mode}
        disabled={!may("approve")}
        onChange={({ currentTarget }) => void change(currentTarget.value)}
      >
        {[...new Set([mode, ...modes])].map((name) => (
          <option value={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}

const stateWords = {
  running: ["●", "running"],
  waiting: ["‖", "waits for you"],
  asked: ["?", "has a question"],
  done: ["✓", "done"],
  failed: ["✗", "failed"],
  interrupted: ["◼", "interrupted"]
} as const

const WorkerRow = ({ feed, worker }: { readonly feed: Feed; readonly worker: Worker; readonly revision: number }) => {
  const { calls, endedAt, path, spent, startedAt, state, task, tokens } = worker
  const [sign, words] = stateWords[state]
  const doing = [...calls.values()].at(-1)
  const cancel = () => void command(feed.session, { _tag: "Interrupt", ...(path.length > 1 ? { worker: path } : {}) })
  const name = path.at(-1) ?? ""
  return (
    <li
      class={`worker ${state}`}
      role="treeitem"
      aria-level={path.length}
      style={{ paddingInlineStart: `${(path.length - 1) * 14}px` }}
    >
      <span class="mark" aria-hidden="true">
        {sign}
      </span>
      <span class="worker-text">
        <b>{visibleLine(name)}</b>
        <span class="spoken">: {words}</span>{" "}
        <span class="quiet">{state === "running" ? (doing ?? "thinking") : words}</span>
        {task === "" ? null : <span class="worker-task">{visibleLine(task.slice(0, 160))}</span>}
        <span class="figures">
          {duration(Math.max(0, Math.floor(((endedAt ?? now.value) - startedAt) / 1000) * 1000))}
          {tokens === 0 ? "" : ` · ${many(tokens, "token")}`}
          {spent === 0 ? "" : ` · ${money(spent)}`}
        </span>
      </span>
      {isOpen(worker) && may("operate") ? (
        <button type="button" class="small" aria-label={`Cancel ${name}`} onClick={cancel}>
          Cancel
        </button>
      ) : null}
    </li>
  )
}

/** The workers of the last task, each with its state and cost. */
export const WorkersPanel = ({ feed }: { readonly feed: Feed }) => {
  void feed.revision.value
  const { todos, workers } = feed.fold
  const all = workers.all
  return (
    <section class="side" aria-label="Task">
      {todos.length === 0 ? null : (
        <>
          <h2>Steps</h2>
          <ul class="todos">
            {todos.map(({ status, text }) => (
              <li class={status}>{visibleLine(text)}</li>
            ))}
          </ul>
        </>
      )}
      <h2>Workers</h2>
      {all.length === 0 ? (
        <p class="quiet">No task has run.</p>
      ) : (
        <ul class="workers" role="tree" aria-label="Workers">
          {all.map((worker) => (
            <WorkerRow key={worker.path.join("/")} feed={feed} worker={worker} revision={feed.revision.value} />
          ))}
        </ul>
      )}
    </section>
  )
}

const Head = ({ feed, workers }: { readonly feed: Feed; readonly workers: boolean }) => {
  const detail = feed.detail.value
  // The list has what it has been called since.
  const title = listedTitle(feed.session) || detail?.title
  return (
    <header class="session-head">
      <h1>{title === undefined ? "…" : oneLine(title) || "New session"}</h1>
      <span class="quiet" title={detail === undefined ? "" : visibleLine(detail.project)}>
        {detail === undefined ? "" : nameOf(detail.project)}
      </span>
      <span class="grow" />
      {workers ? (
        <a class="small button" href={to("workers", feed.session)}>
          Workers
        </a>
      ) : null}
      <a class="small button" href={to("timeline", feed.session)}>
        Timeline
      </a>
      <button type="button" class="small" onClick={() => manage(feed.session)}>
        Manage
      </button>
    </header>
  )
}

/** What goes on, and what it has come to. */
const Status = ({ feed, problem }: { readonly feed: Feed; readonly problem: string | undefined }) => {
  void feed.revision.value
  const { context, doing, interrupting, profile, spent, tasks, waiting } = feed.fold
  const goesOn = interrupting ? "interrupting" : waiting.size > 0 ? "waiting for an answer" : (doing ?? "working")
  const lost = feed.connection.value === "lost"
  const percent = context?.window === undefined ? undefined : Math.round((100 * context.tokens) / context.window)
  return (
    <div class="status" role="status">
      {lost ? (
        <span class="warning">{feed.problem.value?.message ?? "The connection is lost; it is opened again."}</span>
      ) : problem !== undefined ? (
        <span class="warning">{problem}</span>
      ) : tasks.size > 0 ? (
        <>
          <span class="pulse" aria-hidden="true" />
          <span>{makeVisible(goesOn)}</span>
          <span class="quiet">Esc interrupts</span>
        </>
      ) : (
        <span class="quiet">ready</span>
      )}
      <span class="grow" />
      {profile === undefined ? null : <span class="quiet">{visibleLine(profile)}</span>}
      {percent === undefined ? null : <span class="quiet">{percent} % context</span>}
      {spent === 0 ? null : <span class="quiet">{money(spent)}</span>}
    </div>
  )
}

/** A conversation, as it goes on. */
export const SessionPage = ({ feed, workers }: { readonly feed: Feed; readonly workers: boolean }) => {
  const revision = feed.revision.value
  const { items, tasks } = feed.fold
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const [sent, setSent] = useState(0)
  const declared = useRef(false)
  const running = tasks.size > 0
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return
      if (!may("operate")) return
      if (feed.fold.tasks.size > 0) event.preventDefault()
      void interrupt(feed).then((refused) => setProblem(refused?.message))
    }
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [feed])
  const send = async (text: string, task: string) => {
    if (!declared.current) {
      declared.current = true
      await command(feed.session, { _tag: "DeclareClientTools", tools: ["ask_user"] })
    }
    const refused = await submit(feed.session, text, task)
    if (refused === undefined) setSent((before) => before + 1)
    return refused?.message
  }
  const isGone = feed.problem.value?.status === 404
  useEffect(() => {
    if (!isGone) return
    void loadSessions()
    moveDraft(feed.session, "")
  }, [feed, isGone])
  if (isGone) {
    return (
      <section class="page">
        <h1>No such session</h1>
        <p>{feed.problem.value?.message}</p>
        <button type="button" onClick={() => go(to(""))}>
          To the start
        </button>
      </section>
    )
  }
  return (
    <section class="session" aria-label="Conversation">
      <Head feed={feed} workers={workers} />
      <Virtual
        class="conversation"
        label="Messages"
        count={items.length}
        keyOf={(index) => items[index]?.key ?? ""}
        row={(index) => {
          const item = items[index]
          return item === undefined ? null : rowOf(item, feed.session)
        }}
        estimate={64}
        follows
        acted={sent}
        revision={revision}
        onTop={() => void feed.earlier()}
      />
      <div class="dock">
        <Status feed={feed} problem={problem} />
        {may("operate") ? (
          <Composer
            key={feed.session}
            draft={feed.session}
            busy={running}
            placeholder={running ? "Queue another prompt" : "Prompt"}
            onSubmit={send}
          />
        ) : null}
        <div class="dock-foot">
          <Mode feed={feed} onProblem={setProblem} />
          <span class="grow" />
          <span class="quiet keys">Enter sends · Shift-Enter new line</span>
        </div>
      </div>
    </section>
  )
}
