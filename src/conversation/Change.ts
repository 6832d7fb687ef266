import type { TodoItem } from "../tool/ToolEvent.ts"
import type { StoredMessage } from "./Message.ts"

/** What an event of a log does to the conversation of its worker; nothing else decides what a model may see. */
export type Change =
  | { readonly _tag: "Added"; readonly message: StoredMessage }
  /** The list of steps that the worker keeps. */
  | { readonly _tag: "Planned"; readonly todos: ReadonlyArray<TodoItem> }
  /** All that came before is out of sight, and these messages stand for it. */
  | {
      readonly _tag: "Replaced"
      readonly messages: ReadonlyArray<StoredMessage>
      readonly todos: ReadonlyArray<TodoItem>
    }

/** The messages that some changes leave, as stored. */
export const messagesOf = (changes: Iterable<Change>): ReadonlyArray<StoredMessage> => {
  let messages: Array<StoredMessage> = []
  for (const change of changes) {
    if (change._tag === "Added") messages.push(change.message)
    else if (change._tag === "Replaced") messages = [...change.messages]
  }
  return messages
}
