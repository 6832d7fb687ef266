import { effect, signal } from "@preact/signals"
import { oneLine, visibleLine } from "../../text/visible.ts"
import { route } from "../Route.ts"
import { listedTitle } from "../session/Sessions.ts"
import { queue } from "./Queue.ts"

const permission = signal<NotificationPermission | "missing">(
  "Notification" in globalThis ? Notification.permission : "missing"
)

/** Asks the browser whether this page may notify. */
export const NotifyButton = () =>
  permission.value === "default" ? (
    <button
      type="button"
      class="small"
      onClick={() => void Notification.requestPermission().then((given) => (permission.value = given))}
    >
      Notify me
    </button>
  ) : null

/** Says in the title how many requests wait and which session is shown, and notifies of new ones while the page is not looked at. */
export const watchTitle = (): void => {
  const known = new Set<string>()
  effect(() => {
    const waiting = queue.value.length === 0 ? "" : `(${queue.value.length}) `
    const title = listedTitle(route.value.of)
    document.title = `${waiting}${title === "" ? "" : `${oneLine(title)} \u00b7 `}Tollgate`
  })
  effect(() => {
    for (const { request } of queue.value) {
      if (known.has(request.id)) continue
      known.add(request.id)
      if (permission.peek() !== "granted" || document.visibilityState === "visible") continue
      const note = new Notification(`${visibleLine(request.tool)} waits for you`, {
        body: visibleLine(request.message).slice(0, 200),
        tag: request.id
      })
      note.addEventListener("click", () => focus())
    }
  })
}
