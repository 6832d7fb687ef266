import { signal } from "@preact/signals"

/** The name under which a reload finds them, in this tab alone. */
const kept = "drafts"

/** Those of before a reload; none where the browser keeps nothing for the page. */
const found = (): ReadonlyArray<readonly [name: string, text: string]> => {
  try {
    const text = sessionStorage.getItem(kept)
    sessionStorage.removeItem(kept)
    return text === null ? [] : (JSON.parse(text) as ReadonlyArray<readonly [string, string]>)
  } catch {
    return []
  }
}

/** What was typed and not sent, by what it was typed for. */
export const drafts = new Map(found())

/** Keeps them over a reload, as far as the browser has room. */
export const keepDrafts = (): void =>
  addEventListener("pagehide", () => {
    try {
      sessionStorage.setItem(kept, JSON.stringify([...drafts]))
    } catch {
      // The browser keeps nothing for the page, or has no room.
    }
  })

/** A prompt that is being sent, and those that wait until it is. */
export interface Outgoing {
  sent: Promise<unknown>
  readonly behind: Array<string>
}

/** What is on its way, by what it was typed for. */
export const outgoing = new Map<string, Outgoing>()

/** Grows when a draft has changed but for typing. */
export const draftsChanged = signal(0)

/** Puts texts before what is typed already. */
export const giveBack = (draft: string, texts: ReadonlyArray<string>): void => {
  if (texts.length === 0) return
  drafts.set(draft, [...texts, drafts.get(draft) ?? ""].filter((text) => text !== "").join("\n"))
  draftsChanged.value++
}

/** Lets what was typed for one thing be typed for another. */
export const moveDraft = (from: string, to: string): void => {
  const text = drafts.get(from) ?? ""
  drafts.delete(from)
  if (text !== "") giveBack(to, [text])
}
