import { computed, signal } from "@preact/signals"

/** The part of the URL behind `#`, by which the pages are told apart. */
const fragment = signal(location.hash)

addEventListener("hashchange", () => {
  fragment.value = location.hash
})

/** A page, and what it is about. */
export interface Route {
  readonly page: string
  readonly of: string
  readonly query: URLSearchParams
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const route = computed((): Route => {
  const [path = "", query = ""] = fragment.value.replace(/^#\/?/, "").split("?", 2)
  const [page = "", of = ""] = path.split("/")
  return { page: page === "" ? "start" : page, of: decoded(of), query: new URLSearchParams(query) }
})

/** The address of a page. */
export const to = (page: string, of = ""): string => `#/${page}${of === "" ? "" : `/${encodeURIComponent(of)}`}`

export const go = (address: string): void => {
  location.hash = address
}
