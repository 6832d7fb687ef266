import { isWithin } from "../../path/PathText.ts"

/** A change of files, by normalised paths. */
export interface Change {
  readonly places: ReadonlyArray<string>
  /** What the content is made of; unset where it comes with the text, from a program or from elsewhere. */
  readonly made?: ReadonlyArray<string>
  /** Files below the places are changed as well. */
  readonly below: boolean
}

/** Files that get a content in a shell text which nobody can have read before it runs. */
export class FreshFiles {
  readonly #places = new Map<string, boolean>()

  constructor(changes: ReadonlyArray<Change>) {
    // What is made of a fresh file is fresh, whichever comes first in the text: a loop may come back to it.
    for (let known = -1; known < this.#places.size;) {
      known = this.#places.size
      for (const { below, made, places } of changes) {
        if (made !== undefined && !made.some((source) => this.has(source))) continue
        for (const place of places) this.#places.set(place, below || this.#places.get(place) === true)
      }
    }
  }

  has(place: string): boolean {
    return (
      this.#places.has(place) || [...this.#places].some(([directory, below]) => below && isWithin(place, directory))
    )
  }
}
