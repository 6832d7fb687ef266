import type { Problem } from "../Api.ts"
import { isMe } from "../Login.ts"
import { giveBack } from "./Drafts.ts"
import type { Feed } from "./Feed.ts"
import type { Item, Prompt } from "./Item.ts"
import { command } from "./Sessions.ts"

/** Prompts whose words were given back. */
const returned = new WeakSet<Prompt>()

const isOwnWaiting = (item: Item): item is Prompt =>
  item.kind === "prompt" && item.state === "queued" && isMe(item.by) && !returned.has(item)

/** Interrupts what goes on in a session, and gives back what this person had queued behind it. */
export const interrupt = async ({ fold, session }: Feed): Promise<Problem | undefined> => {
  const waiting = fold.items.filter(isOwnWaiting)
  const refused = await command(session, { _tag: "Interrupt" })
  if (refused !== undefined) return refused
  const ended = waiting.filter((prompt) => prompt.state !== "running" && !returned.has(prompt))
  for (const prompt of ended) returned.add(prompt)
  giveBack(
    session,
    ended.map(({ text }) => text)
  )
  return undefined
}
