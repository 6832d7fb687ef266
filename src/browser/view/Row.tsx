import { makeVisible } from "../../text/visible.ts"
import { isMe } from "../Login.ts"
import type { Item } from "../session/Item.ts"
import { Markdown } from "../text/Markdown.tsx"
import { CallView } from "./CallView.tsx"
import { QuestionView } from "./QuestionView.tsx"

/** A row of a conversation. */
export const Row = ({
  item,
  session = ""
}: {
  readonly item: Item
  /** Of the item, which is the same object as it grows. */
  readonly revision: number
  readonly session?: string
}) => {
  switch (item.kind) {
    case "prompt":
      return (
        <div class={`prompt ${item.state}`}>
          <div class="who">
            {isMe(item.by) ? "You" : makeVisible(item.by ?? "")}
            {item.state === "queued" ? <span class="quiet"> · queued behind {item.ahead}</span> : null}
          </div>
          <div class="prompt-text">{makeVisible(item.text)}</div>
        </div>
      )
    case "answer":
      return (
        <div class="answer">
          <Markdown text={item.text} open={item.open} />
        </div>
      )
    case "thought":
      return (
        <details class="thought">
          <summary>{item.open ? "Thinking" : "Thought"}</summary>
          <div class="thought-text">{makeVisible(item.text)}</div>
        </details>
      )
    case "call":
      return (
        <CallView
          call={item}
          revision={item.revision}
          row={(below) => <Row item={below} revision={below.revision} session={session} />}
        />
      )
    case "question":
      return <QuestionView question={item} session={session} />
    case "note":
      return <p class={`note ${item.level}`}>{makeVisible(item.text)}</p>
    case "end":
      return <p class={`ending ${item.outcome}`}>{makeVisible(item.text)}</p>
  }
}
