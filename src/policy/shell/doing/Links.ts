import { normalise } from "../LexicalPath.ts"

const maximumWays = 16

/** The links that a shell text makes, and where they lead paths; what is on the disk already is none of them. */
export class Links {
  readonly #targets = new Map<string, ReadonlyArray<string>>()

  /** A link that may come to lie at a place, by absolute paths. */
  add(place: string, target: string): void {
    const at = normalise(place)
    const known = this.#targets.get(at) ?? []
    if (normalise(target) !== at && known.length < maximumWays) this.#targets.set(at, [...known, target])
  }

  /** Other places that an absolute path may stand for; a command that acts on a link itself does not follow the last name. */
  led(path: string, follows: boolean): ReadonlyArray<string> {
    if (this.#targets.size === 0) return []
    const names = path.split("/")
    let ways: ReadonlyArray<string> = [""]
    for (const [index, name] of names.entries()) {
      if (name === "" || name === ".") continue
      const isLast = index === names.length - 1
      ways = ways.flatMap((way) =>
        this.#entered(name === ".." ? normalise(`${way}/..`) : `${way}/${name}`, isLast && !follows)
      )
      ways = [...new Set(ways)].slice(0, maximumWays)
    }
    return ways.filter((way) => way !== normalise(path))
  }

  /** A place, and where links lead it, one after the other. */
  #entered(place: string, stays: boolean): ReadonlyArray<string> {
    const found = new Set([normalise(place)])
    if (stays) return [...found]
    for (const one of found) {
      if (found.size > maximumWays) break
      for (const target of this.#targets.get(one) ?? []) found.add(normalise(target))
    }
    return [...found]
  }
}
