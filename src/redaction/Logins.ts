/** What stands between a user and a password. */
export type Separator = ":" | "%" | ","

/** Where a word says that a password stands: behind a place in it, or as the next word. */
export interface Announced {
  readonly at: number | "next"
  /** What the password follows, behind a user. */
  readonly pair: Separator | undefined
}

/** A file and a line before what was found there. */
const place = /^[^\s:]{1,256}:\d{1,7}[:-]/

/** How a command line says a password that nothing names. */
interface Command {
  /** Starts the options by which it does, the password attached or the next word. */
  readonly option?: RegExp
  /** A word that must have come before, e.g. a subcommand. */
  readonly verb?: RegExp
  /** Words without a dash between the verb and the password. */
  readonly skip?: number
  /** What the password follows in a pair with its user. */
  readonly pair?: Separator
  /** The first word without a dash begins another command. */
  readonly leads?: true
}

const spaced = (names: string, command: Command): ReadonlyArray<readonly [string, Command]> =>
  names.split(" ").map((name) => [name, command])

const commands: ReadonlyMap<string, Command> = new Map([
  ...spaced("curl", { option: /^(?:-[uU]|--(?:proxy-)?user(?:=|$))/, pair: ":" }),
  ...spaced("http https xh xhs", { option: /^(?:-a|--auth(?:=|$))/, pair: ":" }),
  ...spaced("smbclient rpcclient smbget", { option: /^(?:-U|--user(?:=|$))/, pair: "%" }),
  ...spaced("lftp", { option: /^-u/, pair: "," }),
  ...spaced("sshpass", { option: /^-p/, leads: true }),
  ...spaced("mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb mariadb-dump mariadb-admin", {
    option: /^-p(?=.)/
  }),
  ...spaced("7z 7za 7zr 7zz", { option: /^-p(?=.)/ }),
  ...spaced("redis-cli valkey-cli", { option: /^(?:-a|--pass(?:=|$))/ }),
  ...spaced("mongo mongosh mongodump mongorestore mongoimport mongoexport mongostat mongotop mongofiles", {
    option: /^-p/
  }),
  ...spaced("docker podman nerdctl buildah helm oras crane regctl az oc cf ibmcloud", {
    option: /^-p/,
    verb: /^(?:login|auth)$/
  }),
  ...spaced("skopeo", { option: /^(?:-p|--(?:src-|dest-)?creds(?:=|$))/, pair: ":" }),
  ...spaced("cqlsh rdesktop", { option: /^-p/ }),
  ...spaced("plink pscp psftp", { option: /^-pw/ }),
  ...spaced("ldapsearch ldapmodify ldapadd ldapdelete ldapcompare ldappasswd ldapwhoami", { option: /^-w/ }),
  ...spaced("sqlcmd bcp isql zip unzip mosquitto_pub mosquitto_sub ipmitool", { option: /^-P/ }),
  ...spaced("xfreerdp wfreerdp", { option: /^\/p:/ }),
  ...spaced("openssl", { option: /^(?:pass:|-k$)/ }),
  ...spaced("security", {
    option: /^-[wpP]$/,
    verb: /^(?:add-(?:generic|internet)-password|unlock-keychain|create-keychain|import)$/
  }),
  ...spaced("useradd usermod", { option: /^-p/ }),
  ...spaced("htpasswd", { verb: /^-\w*b/, skip: 2 }),
  ...spaced("rabbitmqctl", { verb: /^(?:add_user|change_password|authenticate_user)$/, skip: 1 }),
  ...spaced("rclone", { verb: /^obscure$/, skip: 0 })
])

const ends = /^(?:[;&|]{1,2}|.*;)$/s

/** Words of an entry of `.netrc`, whose values stand between them. */
const entry = ["machine", undefined, "login", undefined, "password"] as const

/** The last two letters of a word as one number, by which most words are passed over. */
const ending = (word: string): number => (word.charCodeAt(word.length - 2) << 8) | word.charCodeAt(word.length - 1)

const mayBegin: ReadonlySet<number> = new Set([...commands.keys(), "machine", "default"].map(ending))

/** What a placeholder is called where one explains a command. */
const placeholder = /^(?:pass(?:word|wd|phrase)?|pwd|token|secret|api[_-]?key|your\w*|x{1,16}|\.{3})$/i

/** Whether a value in the place of a password is not one. */
export const isPlaceholder = (text: string): boolean => placeholder.test(text)

/** A line of `.pgpass`: host, port, database, user and password; of the ports those that such servers have. */
const pgpass =
  /^(?:.{1,256}[:-])?[\w.*-]{1,253}:(?:54\d\d|64\d\d|65\d\d|\d{5}|\*):[^\s:/]{1,63}:[^\s:/]{1,63}:(?=[^\s:])/

/** Follows the words of command lines and of `.netrc` and `.pgpass` files as far as they announce passwords that nothing names. */
export class Logins {
  private command: Command | undefined
  /** The verb has come, where one is needed. */
  private armed = false
  /** Words that still come before the password. */
  private left: number | undefined
  private stage = 0

  /** A command continues after a backslash, an entry of `.netrc` on any line. */
  newline(continued: boolean): void {
    if (!continued) this.command = undefined
  }

  reset(): void {
    this.command = undefined
    this.stage = 0
  }

  get isIdle(): boolean {
    return this.command === undefined && this.stage === 0
  }

  read(word: string): Announced | undefined {
    const [line] = word.length > 8 && word.includes(":") ? (pgpass.exec(word) ?? []) : []
    if (line !== undefined) return { at: line.length, pair: undefined }
    if (this.isIdle && !mayBegin.has(ending(word))) return undefined
    return this.follow(word, word.replace(place, ""))
  }

  /** `said` is the word without the place that a search gives before it. */
  private follow(word: string, said: string): Announced | undefined {
    if (this.netrc(said)) return { at: "next", pair: undefined }
    const begun = commands.get(said.slice(said.lastIndexOf("/") + 1))
    if (begun !== undefined) {
      this.command = begun
      this.armed = begun.verb === undefined
      this.left = undefined
      return undefined
    }
    const { command } = this
    if (command === undefined) return undefined
    if (ends.test(word) || (command.leads === true && !word.startsWith("-"))) {
      this.command = undefined
      return undefined
    }
    if (!this.armed) return this.arm(word, command)
    if (this.left !== undefined) return this.positional(word)
    const [option] = command.option?.exec(word) ?? []
    if (option === undefined) return undefined
    return { at: word.length > option.length ? option.length : "next", pair: command.pair }
  }

  private arm(word: string, { skip, verb }: Command): Announced | undefined {
    if (verb?.test(word) !== true) return undefined
    this.armed = true
    // `-n` of htpasswd leaves out the file.
    this.left = skip !== undefined && /^-\w*n/.test(word) ? skip - 1 : skip
    return this.left === 0 ? this.password() : undefined
  }

  private positional(word: string): Announced | undefined {
    if (word.startsWith("-")) {
      if (/^-\w*[Cr]$/.test(word)) this.left!++
      if (/^-\w*n/.test(word)) this.left!--
    } else this.left!--
    return this.left! <= 0 ? this.password() : undefined
  }

  private password(): Announced {
    this.command = undefined
    return { at: "next", pair: undefined }
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
