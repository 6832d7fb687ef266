import type { Change } from "../conversation/Change.ts"
import type { StoredMessage } from "../conversation/Message.ts"
import type { Event } from "./Event.ts"
import { changeOf } from "./Projection.ts"

/** The message with what its backend gave to get it back, which the log does not have where a secret is in it. */
const withSealed = (message: StoredMessage, given: StoredMessage | undefined): StoredMessage => {
  const provider = given?.provider
  return provider === undefined || message.provider !== undefined ? message : { ...message, provider }
}

/** What an event as it is told does to the conversation that a model goes on with. */
export const liveChangeOf = (told: Event, event: Event): Change | undefined => {
  const change = changeOf(told)
  const given = changeOf(event)
  if (change?._tag === "Added" && given?._tag === "Added") {
    return { ...change, message: withSealed(change.message, given.message) }
  }
  if (change?._tag === "Replaced" && given?._tag === "Replaced") {
    return { ...change, messages: change.messages.map((message, at) => withSealed(message, given.messages[at])) }
  }
  return change
}
