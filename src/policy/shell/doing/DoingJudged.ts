import { excerpt } from "../../../text/excerpt.ts"
import { sentence } from "../../../text/sentence.ts"
import { ask, deny, strictest, type Verdict } from "../../Verdict.ts"
import { normalise } from "../LexicalPath.ts"
import type { Literal } from "../Literal.ts"
import type { ShellContext } from "../ShellContext.ts"
import { broughtBy } from "./broughtBy.ts"
import { Changes } from "./Changes.ts"
import { doingOf } from "./Doing.ts"
import { isTemporary } from "../TemporaryPlaces.ts"
import { type GitShown, shownByGit } from "./GitShown.ts"
import { ReadBelow } from "./ReadBelow.ts"
import type { Doing, Touched } from "./Touched.ts"
import { FreshFiles } from "./FreshFiles.ts"
import { Links } from "./Links.ts"
import { madeBy, madeOf } from "./MadeLink.ts"
import { shown, unknownPart } from "./Step.ts"
import { isSystemProgram } from "./systemProgram.ts"
import { plain } from "./Unknown.ts"
import { Upset } from "./Upset.ts"
import { WordPaths } from "./WordPaths.ts"

/** What the policy says of what a shell text does. */
export interface DoingJudged {
  /** None where all of it is known, and allowed in the workspace. */
  readonly verdict: Verdict | undefined
  /** Addresses that it connects to, for the network policy. */
  readonly urls: ReadonlyArray<string>
  /** Which contents git shows, and where. */
  readonly shown: ReadonlyArray<GitShown>
  /** The texts that shells read. */
  readonly texts: ReadonlyArray<string>
}

/** Paths that are judged, each of which may cost a look at the disk. */
const maximumPaths = 1024

/** What every program is given. */
const inputs = /^\/(?:dev\/(?:tty|stdin|fd\/\d+)|proc\/.+\/fd\/\d+)$/
const devices = /^\/dev\/(?:null|zero|u?random|tty|std(?:in|out|err)|fd\/\d+)$/
/** Where programs and what they share lie; in `/opt` are also projects and their data. */
const installed =
  /^\/(?:(?:usr\/(?:local\/)?)?|opt\/(?:.*\/)?)(?:s?bin|lib|lib64|libexec|include|share|Cellar)(?:\/|$)|^\/nix(?:\/|$)/

/** Files that no program writes but by a command of their own, wherever they lie. */
const guarded = /^path\/(?:repository|credentials|own-state|own-files|startup|ssh-settings|kernel|hard-link)$/

/** Judges what a shell text does: each place that it touches, its settings, and that all of it is known. */
export const judgeDoing = (text: string, context: ShellContext): DoingJudged => {
  const doing = doingOf(text, context)
  return {
    verdict: new Judge(context).all(doing),
    urls: doing.urls.filter((url) => !url.includes(unknownPart)),
    shown: shownByGit(doing, context),
    texts: doing.texts
  }
}

/** Why a shell text never runs for what it is known to change, if so. */
export const deniedChange = (text: string, context: ShellContext): Verdict | undefined => {
  const judge = new Judge(context)
  const { touched: all } = doingOf(text, context)
  judge.follow(all)
  for (const [at, touched] of all.entries()) {
    if (touched.op !== "write" && touched.op !== "link") continue
    const verdict = judge.touch(touched, at)
    if (verdict?.decision === "deny" && guarded.test(verdict.rule)) return verdict
  }
  return undefined
}

class Judge {
  readonly #context: ShellContext
  readonly #words: WordPaths
  readonly #links = new Links()
  readonly #below: ReadBelow
  readonly #changes: Changes
  readonly #upset: Upset
  #fresh = new FreshFiles([])
  #paths = 0

  constructor(context: ShellContext) {
    this.#context = context
    this.#words = new WordPaths(context)
    this.#below = new ReadBelow(context, this.#words)
    this.#changes = new Changes(context, this.#words)
    this.#upset = new Upset(context, this.#words)
  }

  all({ settings, touched, unknown, urls }: Doing): Verdict | undefined {
    const found: Array<Verdict> = settings.map((name) =>
      deny("shell/git-setting", `It sets ${name} of git, by which the repository runs programs.`)
    )
    this.follow(touched)
    const { cwd } = this.#context
    const here = { value: cwd, bare: true, glob: false, tilde: false }
    const start = { word: here, op: "enter", by: "the command", from: [cwd] } as const
    for (const [at, one] of [start, ...touched].entries()) {
      const verdict = this.touch(one, at - 1)
      if (verdict !== undefined) found.push(verdict)
      if (verdict?.decision === "deny") break
    }
    if (urls.some((url) => url.includes(unknownPart)))
      found.push(ask("shell/not-known", "The address that it connects to is known only at run time."))
    for (const { command, reason } of unknown.slice(0, 1))
      found.push(ask("shell/not-known", sentence(`${excerpt(command)}: ${reason}`)))
    return found.reduce<Verdict | undefined>(
      (worst, one) => (worst === undefined ? one : strictest(worst, one)),
      undefined
    )
  }

  /** Notes the links that are made, and where they are taken, so that paths are judged by where they lead too. */
  follow(touched: ReadonlyArray<Touched>): void {
    for (const { from, fromThere, place, value } of madeBy(touched, this.#words)) {
      this.#links.add(place, this.#words.absolute({ ...plain, value }, fromThere ? `${place}/..` : from))
    }
    for (const one of touched) if (one.op === "write") this.#copied(one)
    this.#upset.follow(touched)
    if (!touched.some(({ op }) => op === "start")) return
    this.#fresh = new FreshFiles(
      touched
        .filter(({ op }) => op === "write")
        .map(({ fills, from, made, named, word }) => ({
          below: fills === true,
          places: from.flatMap((directory) => [
            ...this.#meant(word, directory),
            ...(named ?? []).flatMap((one) =>
              this.#meant(
                { ...word, value: `${word.value}/${one.value.slice(one.value.lastIndexOf("/") + 1)}` },
                directory
              )
            )
          ]),
          ...(made !== undefined &&
            !this.#isProgram(made, from) &&
            !this.#overwrites(made, word, from) && {
              made: made.flatMap((one) => from.flatMap((directory) => this.#meant(one, directory)))
            })
        }))
    )
  }

  /** A directory that is copied or moved brings its links, which lead where they lead now. */
  #copied({ from, named = [], word }: Touched): void {
    if (word.value.includes(unknownPart)) return
    for (const directory of from)
      for (const source of named.flatMap((one) => this.#meant(one, directory)))
        if (this.#words.isDirectory(source) && this.#context.judgePath(source, "read").decision === "allow")
          for (const place of this.#words.places(word, directory, source)) this.#links.add(place, source)
  }

  /** Whether one of the words is a program of the system, which goes by another name then. */
  #isProgram(words: ReadonlyArray<Literal>, from: ReadonlyArray<string>): boolean {
    return words.some((word) =>
      from.some((directory) => this.#meant(word, directory).some((place) => isSystemProgram(place)))
    )
  }

  /** Whether a file that is there gets the content of another one, or of what is only read once. */
  #overwrites(made: ReadonlyArray<Literal>, word: Literal, from: ReadonlyArray<string>): boolean {
    const names = ["", ...made.map(({ value }) => `/${value.slice(value.lastIndexOf("/") + 1)}`)]
    return (
      made.length > 0 &&
      from.some(
        (directory) =>
          names.some((name) => this.#words.isFile(`${this.#words.absolute(word, directory)}${name}`)) ||
          made.some((one) => inputs.test(normalise(this.#words.absolute(one, directory))))
      )
    )
  }

  /** Where a word leads, with the links that the text makes. */
  #meant(word: Literal, from: string): ReadonlyArray<string> {
    if (word.value.includes(unknownPart)) return []
    return this.#words
      .named(word, from, () => undefined)
      .flatMap((path) => [normalise(path), ...this.#links.led(path, true)])
  }

  /** Why a file must not be run unasked that nobody can have read. */
  #started(path: string, by: string): Verdict | undefined {
    const place = normalise(path)
    if (inputs.test(place)) return ask("shell/not-known", `${excerpt(by)} runs what is typed or piped into it.`)
    return this.#fresh.has(place)
      ? ask(
          "shell/not-known",
          `${excerpt(by)} runs ${excerpt(this.#words.short(place))}, which the same command writes, so that nobody has read it.`
        )
      : undefined
  }

  /** Why one of what is touched is asked about or refused, by its place in the list. */
  touch(touched: Touched, at: number): Verdict | undefined {
    const { by, from, op, word } = touched
    if (op === "upset") return undefined
    if (op === "fetch") return this.#fetched(word.value, touched)
    if (word.value.includes(unknownPart)) {
      if (op === "list" || op === "start") return undefined
      const what = op === "write" ? "writes to" : "uses"
      return ask("shell/not-known", `${excerpt(shown(by))} ${what} a file whose name is known only at run time.`)
    }
    if (word.value === "" || (word.value === "-" && op !== "write")) return undefined
    if (/^=./.test(word.value))
      return ask(
        "shell/not-known",
        `Some shells take ${excerpt(word.value)} for the place of a program; write \`./\` before it.`
      )
    let worst: Verdict | undefined
    const note = (verdict: Verdict | undefined): void => {
      if (verdict !== undefined) worst = worst === undefined ? verdict : strictest(worst, verdict)
    }
    const judge = (path: string): void => {
      note(this.#place(path, touched))
      for (const led of this.#links.led(path, touched.unfollowed !== true)) note(this.#place(led, touched))
    }
    for (const directory of from) {
      const path = this.#words.absolute(word, directory)
      for (const one of [path, ...this.#links.led(path, true)]) note(this.#upset.judge(touched, at, one))
      for (const one of this.#words.named(word, directory, note))
        if (touched.ifLink !== true || this.#words.isLink(one)) judge(one)
    }
    if (op === "write") {
      const { looks, paths } = broughtBy(touched, this.#words, this.#context, this.#below.left)
      this.#below.spend(looks)
      for (const path of paths) note(this.#place(path, { by, from, op, word }))
    }
    for (const { fromThere, place, value } of madeOf(touched, this.#words))
      if (fromThere) judge(this.#words.absolute({ ...plain, value }, `${place}/..`))
    return worst
  }

  /** Why a program is asked about that no package of the project, or of one above it, has. */
  #fetched(name: string, { by, from }: Touched): Verdict | undefined {
    const file = name.includes("/") ? name : `.bin/${name}`
    return name.includes(unknownPart) ||
      from.every((directory) => this.#words.isAbove(`node_modules/${file}`, directory))
      ? undefined
      : ask(
          "shell/not-known",
          `${excerpt(shown(by))} fetches ${excerpt(name)} and runs it, since no package here has it; install it first.`
        )
  }

  /** A slash at the end says that a place is a directory, not which one. */
  #place(given: string, touched: Touched): Verdict | undefined {
    const path = given.replace(/(?<=[^/])(?:\/\.?)+$/, "")
    if (touched.op === "start") return this.#started(path, shown(touched.by))
    if (++this.#paths > maximumPaths) return ask("shell/too-complex", `Names more than ${maximumPaths} paths.`)
    const place = normalise(path)
    if (devices.test(place)) return undefined
    if (touched.op === "write") return this.#changes.written(path, place, touched)
    return this.#seen(path, place, touched) ?? this.#mayChange(path, touched)
  }

  /** What never changes may neither be named as what is written nor get a name by which it could be. */
  #mayChange(path: string, { by, changes, op }: Touched): Verdict | undefined {
    if (op !== "link" && changes === undefined) return undefined
    const guard = this.#context.protectedChange?.(path)
    if (guard?.decision !== "deny") return undefined
    const does = op === "link" ? "links to" : changes === "likely" ? "is told of" : "may change"
    const reason = sentence(`${excerpt(shown(by))} ${does} ${excerpt(this.#words.short(path))}: ${guard.reason}`)
    return op === "link" || changes === "likely" ? deny(guard.rule, reason) : ask(guard.rule, reason)
  }

  #seen(path: string, place: string, touched: Touched): Verdict | undefined {
    const { below, by, follows, found, keepsMode, op } = touched
    if (keepsMode === true && this.#words.lendsRights(path))
      return ask(
        "shell/not-known",
        `${excerpt(by)} copies the rights that ${excerpt(this.#words.short(path))} lends to whoever runs it.`
      )
    const { home, judgePath } = this.#context
    const verdict = judgePath(path, "read")
    if (verdict.rule === "path/outside") {
      const isFree = isTemporary(this.#words.led(path) ?? place, home)
      if (!isFree && op !== "enter" && installed.test(place)) return found && this.#below.found(path, touched, found)
      if (!isFree) {
        return ask(
          "path/outside",
          `${excerpt(by)} uses ${excerpt(this.#words.short(path))}, which is outside the workspace.`
        )
      }
    } else if (verdict.decision !== "allow") {
      if (verdict.rule.startsWith("path/not-")) return undefined
      return ask(verdict.rule, sentence(`${excerpt(by)} uses ${excerpt(this.#words.short(path))}: ${verdict.reason}`))
    }
    if (found !== undefined) return this.#below.found(path, touched, found)
    if (below === undefined) return undefined
    return this.#below.searched(path, by, below) ?? (follows === true ? this.#below.followed(path, by) : undefined)
  }
}
