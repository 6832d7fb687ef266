import type { TodoItem } from "../tool/ToolEvent.ts"
import type { StoredMessage } from "./Message.ts"
import { ModelView } from "./ModelView.ts"
import { characters, sizeOf } from "./size.ts"

const isPrompt = ({ message }: StoredMessage): boolean => message.role === "user"

/**
 * The latest messages of at most `limit` characters in all, which stay as they are behind a summary: a call and its results are
 * both among them or neither is. The last prompt is among them in any case.
 */
export const keptOf = (messages: ReadonlyArray<StoredMessage>, limit: number): ReadonlyArray<StoredMessage> => {
  let start = messages.length
  let size = 0
  for (const [index, stored] of [...messages.entries()].toReversed()) {
    size += characters(stored)
    if (size > limit) break
    if (stored.message.role !== "tool") start = index
  }
  const tail = messages.slice(start)
  const prompt = tail.some(isPrompt) ? undefined : messages.slice(0, start).findLast(isPrompt)
  return prompt === undefined ? tail : [prompt, ...tail]
}

/** Characters that a result may keep where a conversation is too long, one after the other. */
const resultSizes = [8000, 2000, 400] as const

/** A text without its middle. */
const ends = (text: string, size: number): string => {
  const half = Math.floor(size / 2)
  const left = text.length - 2 * half
  return `${text.slice(0, half)}\n[${left} characters are left out here]\n${text.slice(-half)}`.toWellFormed()
}

const shortResult = (stored: StoredMessage, size: number): StoredMessage =>
  stored.message.role === "tool" && stored.message.content.length > size
    ? { ...stored, message: { ...stored.message, content: ends(stored.message.content, size) } }
    : stored

/** The messages within so many characters: first long results lose their middles, then the oldest messages go. */
export const shortened = (messages: ReadonlyArray<StoredMessage>, limit: number): ReadonlyArray<StoredMessage> => {
  let short = messages
  for (const size of resultSizes) {
    if (sizeOf(short) <= limit) return short
    short = short.map((stored) => shortResult(stored, size))
  }
  const view = new ModelView()
  for (const stored of short) view.add(stored)
  return view.window(limit)
}

const instruction =
  "Write a summary of the conversation so far that replaces it: the work goes on from your summary alone. Keep what cannot be found out " +
  "again: the user's goals, wishes and constraints in their own words; decisions and their reasons; what was done, with the names of files, " +
  "commands and results; what failed and why; what was refused; what is open and what comes next. Leave out what no longer matters. Call no tool. " +
  "Answer with the summary only."

/** The request for a summary. */
export const asking = (instructions = ""): StoredMessage => {
  const own = instructions.trim()
  const content = own === "" ? instruction : `${instruction}\n\nThe user says of the summary: ${own}`
  return { id: "compaction", message: { role: "user", content } }
}

const marks: Readonly<Record<TodoItem["status"], string | undefined>> = {
  pending: "[ ]",
  active: "[>]",
  done: undefined,
  dropped: undefined
}

/** What stands for the conversation from here on; steps that are open stand in it whatever the summary says. */
export const summaryText = (text: string, todos: ReadonlyArray<TodoItem>, goesOn: boolean): string => {
  const open = todos.flatMap(({ status, text: step }) =>
    marks[status] === undefined ? [] : [`${marks[status]} ${step}`]
  )
  return [
    `Summary of the conversation so far:\n${text.trim()}`,
    ...(open.length === 0 ? [] : [`Open steps of the to-do list:\n${open.join("\n")}`]),
    ...(goesOn
      ? ["The last messages follow as they were. Go on with the work where they end; repeat nothing that is done."]
      : [])
  ].join("\n\n")
}
