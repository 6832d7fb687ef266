import { signal } from "@preact/signals"

/** What was typed and not sent, by what it was typed for. */
export const drafts = new Map<string, string>()

/** Grows when a draft has changed but for typing. */
export const draftsChanged = signal(0)

/** Puts texts before what is typed already. */
export const giveBack = (draft: string, texts: ReadonlyArray<string>): void => {
  if (texts.length === 0) return
  drafts.set(draft, [...texts, drafts.get(draft) ?? ""].filter((text) => text !== "").join("\n"))
  draftsChanged.value++
}
