import { signal } from "@preact/signals"

/** The time in epoch milliseconds, of the last second. */
export const now = signal(Date.now())

setInterval(() => {
  now.value = Date.now()
}, 1000)

/** How long ago something was, in a word. */
export const ago = (time: number): string => {
  const seconds = Math.max(0, (now.value - time) / 1000)
  if (seconds < 60) return "now"
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

/** What is left until a time, as a clock shows it. */
export const left = (until: number): string => {
  const seconds = Math.max(0, Math.ceil((until - now.value) / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}
