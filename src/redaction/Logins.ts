/** Where a word says that a password stands: behind a place in it, or as the next word. */
export interface Announced {
  readonly at: number | "next"
  /** The password follows a user and a colon. */
  readonly pair: boolean
}

/** A file and a line before what was found there. */
const place = /^[^\s:]{1,256}:\d{1,7}[:-]/

const mysql = /^(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump)$/

const ends = /^(?:[;&|]{1,2}|.*;)$/s
const user = /^(?:-[uU]|--(?:proxy-)?user(?:=|$))/
const attached = (word: string, length: number, pair: boolean): Announced => ({
  at: word.length > length ? length : "next",
  pair
})

/** Words of an entry of `.netrc`, whose values stand between them. */
const entry = ["machine", undefined, "login", undefined, "password"] as const

/** How words end with which anything begins: curl, sshpass, mysqldump, mysqladmin, mariadb, redis-cli, machine, default. */
const mayBegin = new Set(Array.from("lsetpnbi", (letter) => letter.charCodeAt(0)))

/** What a placeholder is called where one explains a command. */
const placeholder = /^(?:pass(?:word|wd|phrase)?|pwd|token|secret|api[_-]?key|your\w*|x{1,16}|\.{3})$/i

/** Whether something that stands for a password is only called so. */
export const isPlaceholder = (text: string): boolean => placeholder.test(text)

/** Follows the words of command lines and `.netrc` files as far as they announce passwords that nothing names. */
export class Logins {
  private program: "curl" | "sshpass" | "mysql" | "redis" | undefined
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
    return this.follow(word, word.replace(place, ""))
  }

  /** `said` is the word without the place that a search gives before it. */
  private follow(word: string, said: string): Announced | undefined {
    if (this.netrc(said)) return { at: "next", pair: false }
    const name = said.slice(said.lastIndexOf("/") + 1)
    if (name === "curl" || name === "sshpass") this.program = name
    else if (mysql.test(name)) this.program = "mysql"
    else if (name === "redis-cli") this.program = "redis"
    else if (this.program === undefined) return undefined
    else if (ends.test(word)) this.program = undefined
    else if (this.program === "sshpass") {
      this.program = word.startsWith("-") ? this.program : undefined
      return word.startsWith("-p") ? attached(word, 2, false) : undefined
    } else if (this.program === "mysql") {
      return /^-p./.test(word) ? attached(word, 2, false) : undefined
    } else if (this.program === "redis") {
      return word === "-a" || word === "--pass" ? attached(word, word.length, false) : undefined
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
