import { useEffect, useState } from "preact/hooks"

/** How long a request must have been visible before an answer to it counts, in milliseconds. */
const settling = 300

/** How long no other key may have come before one counts: what was typed at something else is no answer. */
const pausing = 300

let keyBefore = -Infinity
let lastKey = -Infinity
addEventListener(
  "keydown",
  ({ isTrusted, key, timeStamp }) => {
    // Keys that type nothing are no part of something that is typed.
    if (!isTrusted || (key.length > 1 && key !== "Enter" && key !== "Backspace")) return
    keyBefore = lastKey
    lastKey = timeStamp
  },
  { capture: true }
)

/** Whether an event can be an answer: a person made it, and a key stands by itself. */
export const isDeliberate = (event: Event): boolean => {
  if (!event.isTrusted) return false
  if (!(event instanceof KeyboardEvent)) return true
  return !event.repeat && event.timeStamp - keyBefore >= pausing
}

/** Whether what is shown under a key has been visible long enough to be answered. */
export const useStanding = (key: string): boolean => {
  const [standing, setStanding] = useState<string | undefined>(undefined)
  useEffect(() => {
    let frame = 0
    let timer = 0
    const stop = () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
      setStanding(undefined)
    }
    // Counted from the first frame that shows it, and anew when the page comes back.
    const begin = () => {
      stop()
      if (document.visibilityState !== "visible") return
      frame = requestAnimationFrame(() => {
        timer = window.setTimeout(() => setStanding(key), settling)
      })
    }
    begin()
    document.addEventListener("visibilitychange", begin)
    return () => {
      stop()
      document.removeEventListener("visibilitychange", begin)
    }
  }, [key])
  return standing === key
}

/** Whether a key was typed into something that takes text. */
export const isTyping = ({ target }: Event): boolean =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null
