import { signal } from "@preact/signals"
import type { SearchHits } from "../../server/SearchHits.ts"
import { get } from "../Api.ts"

/** Characters of a query with which messages are searched. */
const least = 2
/** Pause after the last key before the server is asked, in milliseconds. */
const pause = 250
const most = 20

/** What was found in messages, for the words that were searched last. */
export const hits = signal<SearchHits["hits"]>([])
/** Why nothing was searched, or not all. */
export const hitsNote = signal<string | undefined>(undefined)

let timer = 0
let round = 0

/** Searches the messages of all sessions for words, once no more are typed. */
export const search = (words: string): void => {
  clearTimeout(timer)
  const mine = ++round
  const query = words.trim()
  if (query.length < least) {
    hits.value = []
    hitsNote.value = undefined
    return
  }
  timer = window.setTimeout(() => {
    void get<SearchHits>(`/v1/search?limit=${most}&query=${encodeURIComponent(query)}`).then((found) => {
      if (mine !== round) return
      hits.value = found.ok ? found.value.hits : []
      hitsNote.value = found.ok ? found.value.notes[0] : found.problem.message
    })
  }, pause)
}
