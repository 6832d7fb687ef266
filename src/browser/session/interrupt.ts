import type { Problem } from "../Api.ts"
import { isMe } from "../Login.ts"
import { giveBack, outgoing } from "./Drafts.ts"
import type { Feed } from "./Feed.ts"
import type { Item, Prompt } from "./Item.ts"
import { command, lastSent, type Sent } from "./Sessions.ts"

/** Tasks whose prompts were given back. */
const returned = new Set<string>()

const isOwnWaiting = (item: Item): item is Prompt => item.kind === "prompt" && item.state === "queued" && isMe(item.by)

/** The prompt that was on its way just now, or of which the stream has not told yet. */
const underway = async (feed: Feed): Promise<Sent | undefined> => {
  const going = outgoing.get(feed.session)
  await going?.sent
  const sent = lastSent.get(feed.session)
  const told = await sent?.told
  return told?.ok === true && (going !== undefined || told.value.seq > feed.head) ? sent : undefined
}

/** Interrupts what goes on in a session, and gives back what this person had queued or was just sending. */
export const interrupt = async (feed: Feed): Promise<Problem | undefined> => {
  const { fold, session } = feed
  const behind = outgoing.get(session)?.behind.splice(0) ?? []
  const sent = await underway(feed)
  const waiting = fold.items.filter(isOwnWaiting).filter(({ task }) => task !== sent?.task)
  if (fold.tasks.size > 0 || sent !== undefined) {
    const refused = await command(session, { _tag: "Interrupt" })
    if (refused !== undefined) {
      giveBack(session, behind)
      return refused
    }
  }
  const ended = [...waiting.filter(({ state }) => state !== "running"), ...(sent === undefined ? [] : [sent])].filter(
    ({ task }) => !returned.has(task)
  )
  for (const { task } of ended) returned.add(task)
  giveBack(session, [...ended.map(({ text }) => text), ...behind])
  return undefined
}
