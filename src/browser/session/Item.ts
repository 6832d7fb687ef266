import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"

interface Row {
  /** Unique in its session. */
  readonly key: string
  /** The number of the event that it began with. */
  readonly seq: number
  readonly time: number
  /** Grows with each change. */
  revision: number
}

export interface Prompt extends Row {
  readonly kind: "prompt"
  readonly task: string
  text: string
  readonly by: string | undefined
  state: "queued" | "running" | "ended"
  ahead: number
}

export interface Words extends Row {
  readonly kind: "answer" | "thought"
  text: string
  /** More of it may come. */
  open: boolean
}

export interface FileDiff {
  readonly path: string
  readonly change: string
  readonly text: string
  readonly omitted: number
}

/** What has happened to a call. */
export type CallState = "asked" | "waiting" | "running" | "done" | "failed" | "denied" | "interrupted" | "unknown"

export interface Call extends Row {
  readonly kind: "call"
  readonly callId: string
  readonly tool: string
  /** The JSON text of the model; grows while it is written. */
  arguments: string
  readonly worker: ReadonlyArray<string>
  state: CallState
  request: ApprovalRequest | undefined
  /** Of the running tool, the last of it. */
  output: string
  /** What the model is told. */
  result: string | undefined
  /** Why it did not do what was asked. */
  problem: string | undefined
  readonly diffs: Array<FileDiff>
  readonly notes: Array<string>
  progress: string | undefined
  startedAt: number | undefined
  durationMillis: number | undefined
  /** What the worker that it started has said and done. */
  readonly below: Array<Item>
  /** The worker that it started. */
  delegate: string | undefined
}

export interface Note extends Row {
  readonly kind: "note"
  readonly level: "info" | "warning" | "error"
  text: string
}

/** A question of a tool that runs in the frontend. */
export interface Question extends Row {
  readonly kind: "question"
  readonly requestId: string
  readonly question: string
  readonly options: ReadonlyArray<string>
  open: boolean
}

export interface Ending extends Row {
  readonly kind: "end"
  readonly outcome: "completed" | "failed" | "interrupted"
  readonly text: string
}

/** A row of a conversation. */
export type Item = Prompt | Words | Call | Note | Question | Ending
