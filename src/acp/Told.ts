import type { SessionUpdate } from "@agentclientprotocol/sdk"
import { makeVisible, visibleLine } from "../text/visible.ts"
import type { TodoItem } from "../tool/ToolEvent.ts"
import type { Approval } from "../ui/Display.ts"
import type { Step } from "../ui/narration/Step.ts"
import { block } from "./fenced.ts"

/** What becomes of an event. */
export type Told =
  | {
      readonly _tag: "Update"
      readonly update: SessionUpdate
      /** The terminal of which nothing more is told. */
      readonly over?: string
    }
  /** The mode or the model has changed. */
  | { readonly _tag: "Options" }
  /** The request is first in line. */
  | { readonly _tag: "Ask"; readonly approval: Approval }
  /** The request that was first in line is over. */
  | { readonly _tag: "Asked" }
  | Extract<Step, { readonly _tag: "ClientCall" | "ClientCallEnded" }>

const planned = { pending: "pending", active: "in_progress", done: "completed", dropped: "completed" } as const

export type Update = Extract<Told, { readonly _tag: "Update" }>

export const update = (given: SessionUpdate): Update => ({ _tag: "Update", update: given })
/** A piece of what somebody says. */
export const chunk = (kind: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk", text: string): Told =>
  update({ sessionUpdate: kind, content: block(makeVisible(text)) })

/** The steps of a worker as a plan. */
export const planOf = (items: ReadonlyArray<TodoItem>): Told =>
  update({
    sessionUpdate: "plan",
    entries: items
      .filter(({ status }) => status !== "dropped")
      .map(({ status, text }) => ({ content: visibleLine(text), priority: "medium", status: planned[status] }))
  })
