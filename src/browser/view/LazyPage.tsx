import { signal } from "@preact/signals"
import { route } from "../Route.ts"
import type * as Loaded from "../pages/Pages.tsx"

type Pages = typeof Loaded

const loaded = signal<Pages | undefined>(undefined)
const problem = signal<string | undefined>(undefined)
let asked = false

const load = (): void => {
  if (asked) return
  asked = true
  problem.value = undefined
  import("../pages/Pages.tsx").then(
    (pages) => {
      loaded.value = pages
    },
    () => {
      asked = false
      problem.value = "The page could not be loaded: the server does not answer, or is a newer one. Reload."
    }
  )
}

/** A page whose code comes when it is first opened. */
export const LazyPage = ({ name }: { readonly name: keyof Pages["pages"] }) => {
  if (loaded.value === undefined) {
    load()
    return (
      <section class="page" aria-busy={problem.value === undefined}>
        {problem.value === undefined ? null : (
          <p class="warning" role="alert">
            {problem.value}
          </p>
        )}
      </section>
    )
  }
  const Page = loaded.value.pages[name]
  return <Page key={route.value.query.toString()} />
}
