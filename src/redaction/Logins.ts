/** Where a word says that a password stands: behind a place in it, or as the next word. */
export interface Announced {
  readonly at: number | "next"
  /** The password follows a user and a colon. */
  readonly pair: boolean
}

const ends = /^(?:[;&|]{1,2}|.*;)$/s
const user = /^(?:-[uU]|--(?:proxy-)?user(?:=|$))/
const attached = (word: string, length: number, pair: boolean): Announced => ({
  at: word.length > length ? length : "next",
  pair
})

/** Words of an entry of `.netrc`, whose values stand between them. */
const entry = ["machine", undefined, "login", undefined, "password"] as const

/** How words end with which anything begins: curl, sshpass, machine, default. */
const mayBegin = new Set(Array.from("lset", (letter) => letter.charCodeAt(0)))

/** What a placeholder is called where one explains a command. */
const placeholder = /^(?:pass(?:word|wd|phrase)?|pwd|token|secret|api[_-]?key|your\w*|x{1,16}|\.{3})$/i

/** Whether something that stands for a password is only called so. */
export const isPlaceholder = (text: string): boolean => placeholder.test(text)

/** Follows the words of command lines and `.netrc` files as far as they announce passwords that nothing names. */
export class Logins {
  private program: "curl" | "sshpass" | undefined
  private stage = 0

  /** A command goes on behind a backslash, an entry of `.netrc` whatever comes. */
  newline(continued: boolean): void {
    if (!continued) this.program = undefined
  }

  reset(): void {
    this.program = undefined
    this.stage = 0
  }

  get isIdle(): boolean {
    return this.program === undefined && this.stage === 0
  }

  read(word: string): Announced | undefined {
    if (this.program === undefined && this.stage === 0 && !mayBegin.has(word.charCodeAt(word.length - 1)))
      return undefined
    if (this.netrc(word)) return { at: "next", pair: false }
    if (word === "curl" || word.endsWith("/curl")) this.program = "curl"
    else if (word === "sshpass" || word.endsWith("/sshpass")) this.program = "sshpass"
    else if (this.program === undefined) return undefined
    else if (ends.test(word)) this.program = undefined
    else if (this.program === "sshpass") {
      this.program = word.startsWith("-") ? this.program : undefined
      return word.startsWith("-p") ? attached(word, 2, false) : undefined
    } else {
      const [option] = user.exec(word) ?? []
      return option === undefined ? undefined : attached(word, option.length, true)
    }
    return undefined
  }

  private netrc(word: string): boolean {
    const expected = entry[this.stage]
    const fits = expected === undefined ? !/[,.;]$/.test(word) : expected === word
    if (this.stage > 0 && fits) this.stage++
    else this.stage = word === "machine" ? 1 : word === "default" ? 2 : 0
    if (this.stage < entry.length) return false
    this.stage = 0
    return true
  }
}
