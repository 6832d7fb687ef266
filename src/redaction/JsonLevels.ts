import { secretName } from "./SecretName.ts"

/** Levels of arrays and objects whose names are minded. */
const maxLevels = 256
const name = /^[\w-]{1,82}$/

interface Level {
  readonly object: boolean
  /** The kind of secret that everything in it is. */
  readonly kind: string | undefined
  /** The name of the next value. */
  name: string | undefined
  /** A key comes next. */
  key: boolean
  /** Where a list names what comes next: `["--token", …]`, and an entry: `{ name: "Cookie", value: … }`. */
  announced: string | undefined
  /** It was a flag that announced it. */
  flag: boolean
  values: number
}

const level = (object: boolean, kind: string | undefined): Level => ({
  object,
  kind,
  name: undefined,
  key: object,
  announced: undefined,
  flag: false,
  values: 0
})

/** The arrays and objects of a JSON text that are open, and what they say of the next value. */
export class JsonLevels {
  private readonly levels: Array<Level> = []
  private skipped = 0

  get top(): Level | undefined {
    return this.skipped > 0 ? undefined : this.levels.at(-1)
  }

  /** Follows the structure of arrays and objects. */
  mind(at: string): void {
    const { top } = this
    if (at === "{" || at === "[") {
      if (this.skipped > 0 || this.levels.length >= maxLevels) this.skipped++
      else {
        const kind = this.kind()
        this.next()
        this.levels.push(level(at === "{", kind))
      }
    } else if (at === "}" || at === "]") {
      if (this.skipped > 0) this.skipped--
      else this.levels.pop()
    } else if (top && at === ":") top.key = false
    else if (top && at === ",") {
      top.key = top.object
      top.name = undefined
    }
  }

  /** The kind of secret that the next value is by what stands around it. */
  kind(): string | undefined {
    const { top } = this
    if (top === undefined || top.key) return undefined
    if (top.kind !== undefined) return top.kind
    if (!top.object) return top.announced
    if (top.name === undefined) return undefined
    return top.name === "value" && top.announced !== undefined ? top.announced : secretName(top.name)
  }

  /** A value has passed that says nothing of the next. */
  next(): void {
    const { top } = this
    if (top === undefined) return
    top.values++
    if (!top.object) top.announced = undefined
  }

  /** Takes a key, or notes what a string says of the value that comes next; `whole` unless it is longer than `head`. */
  learn(role: "key" | "value", head: string, whole: boolean): void {
    const { top } = this
    if (top === undefined) return
    if (role === "key") {
      top.name = whole ? head : undefined
      return
    }
    this.next()
    const kind = whole && name.test(head) ? secretName(head) : undefined
    top.flag = head.startsWith("-")
    if (top.object ? top.name === "name" || top.name === "key" : top.flag || top.values === 1) top.announced = kind
  }

  reset(): void {
    this.levels.length = 0
    this.skipped = 0
  }
}
