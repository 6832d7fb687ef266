import { Visitor } from "./NestedVisitor.ts"
import { isKnownProgram } from "./doing/KnownPrograms.ts"
import { networkClients } from "./HardDenials.ts"
import { subcommand } from "./GitPush.ts"
import { shapeOf } from "./Shape.ts"
import { isTooComplex, isTooLong, read } from "./Source.ts"
import { commandName, commandStarts } from "./Wrappers.ts"

type Words = ReadonlyArray<string>

/** A command that a text may run, in a form in which it can be named. */
export interface Invocation {
  readonly argv: Words
  /** Not where a word was left out that may be the value of an option or not, and not where a program that nobody knows may start it. */
  readonly sure: boolean
  /** More words follow that are known only once it runs. */
  readonly open?: true
}

/** What stands for what `xargs`, `parallel` or `find` put in once they run: `{}`, `{.}`, `{//}`, `{1}`. */
const placeholder = /\{[./#%\d]*\}/

/** Whether a command may begin with these words, once what it has at run time is put in. */
export const mayBegin = ({ argv, open }: Invocation, words: ReadonlyArray<string>): boolean =>
  words.every((word, at) => {
    const own = argv[at]
    return own === undefined ? open === true : own === word || placeholder.test(own)
  })

/** What a text may run, whatever wraps or nests it. */
export interface Invoked {
  readonly commands: ReadonlyArray<Invocation>
  /** The words of all of them. */
  readonly words: ReadonlyArray<string>
  /** Addresses that programs connect to which are given them for that. */
  readonly urls: ReadonlyArray<string>
  /** Whether that is all of it. */
  readonly whole: boolean
}

/** Words in front of a subcommand that are read as options and their values. */
const maximumOptions = 16

/** What follows the options in front of a subcommand, as far as they can be told from it. */
const behindOptions = (name: string, args: Words): ReadonlyArray<Invocation> => {
  if (name === "git") return [{ argv: subcommand(args), sure: true }]
  const found: Array<Invocation> = []
  let sure = true
  for (let at = 0; at < Math.min(args.length, maximumOptions); at++) {
    const isOption = args[at]!.startsWith("-")
    if (!isOption && args[at - 1]?.startsWith("-") !== true) break
    sure &&= isOption
    found.push({ argv: args.slice(at + 1), sure })
  }
  return found
}

/** The forms of a command: its program by name and by path, with and without the options in front of a subcommand. */
const formsOf = ([program = "", ...args]: Words): ReadonlyArray<Invocation> => {
  const name = commandName(program)
  const forms = [{ argv: args, sure: true }, ...behindOptions(name, args)]
  return [...new Set([program, program.slice(program.lastIndexOf("/") + 1), name])].flatMap((called) =>
    forms.map(({ argv, sure }) => ({ argv: [called, ...argv], sure }))
  )
}

/** Words of a program that nobody knows which are looked at for a command that it may start. */
const maximumWords = 16

/** What a program may start by its words that is not known, as a launcher of another kind would. */
const startedBy = ([program = "", ...args]: Words): ReadonlyArray<Words> =>
  isKnownProgram(commandName(program))
    ? []
    : args
        .slice(0, maximumWords)
        .flatMap((word, at) => [args.slice(at), ...(/\s/.test(word) ? shapeOf(word).commands : [])])

const isUrl = (word: string): boolean => /^[a-z][a-z\d+.-]*:\/\/./i.test(word)

/** Options of network clients whose value may be an address that they do not connect to. */
const telling =
  /^(?:-[a-zA-Z]*[AbdeFHOouUw]|--(?:referer|header|user-agent|(?:post-)?(?:data|form|body)\S*|user|cookie|write-out|json|output\S*|url-query|variable))$/

/** What git connects with. */
const connecting: ReadonlySet<string> = new Set("clone fetch pull push ls-remote".split(" "))

/** The addresses among the words of a command that are no values of its options, where it connects to what it is given. */
const urlsOf = ([program = "", ...args]: Words): ReadonlyArray<string> => {
  const name = commandName(program)
  const given = name === "git" ? subcommand(args) : args
  const connects = name === "git" ? connecting.has(given[0] ?? "") : networkClients.has(name)
  return connects ? given.filter((word, at) => isUrl(word) && !telling.test(given[at - 1] ?? "")) : []
}

/** Programs that put what they read behind the words of the command that they run. */
const fillers: ReadonlySet<string> = new Set(["xargs", "parallel", "sem"])

/** What stands for what is put in, where the command says that itself. */
const ownPlaceholder = (argv: Words): string | undefined =>
  argv.flatMap((word, at) => {
    const given = word === "-I" ? argv[at + 1] : /^(?:-[Ii]|--replace=)(.+)$/.exec(word)?.[1]
    return given === undefined ? [] : [given]
  })[0]

/** The commands that such a program runs, without what it puts in. */
const filledBy = (argv: Words): ReadonlyArray<Words> => {
  if (!fillers.has(commandName(argv[0] ?? ""))) return []
  const own = ownPlaceholder(argv)
  const words = own === undefined ? argv : argv.map((word) => word.replaceAll(own, "{}"))
  const end = words.findIndex((word) => /^:{3,4}\+?$/.test(word))
  return commandStarts(argv).flatMap((start) =>
    start === 0 || (end >= 0 && start >= end) ? [] : [words.slice(start, end < 0 ? undefined : end)]
  )
}

/** Nothing of what is read here is judged, so that it does not matter where it would run. */
const nowhere = { cwd: "/", home: "/", roots: [] }

/** The commands that a text runs, and those of the texts that they are given to run; it never throws. */
export const invoked = (text: string): Invoked => {
  const commands: Array<Invocation> = []
  const [words, urls] = [new Set<string>(), new Set<string>()]
  const found = (whole: boolean): Invoked => ({ commands, words: [...words], urls: [...urls], whole })
  if (isTooLong(text) || isTooComplex(text)) return found(false)
  let whole = true
  try {
    const visitor = new Visitor(nowhere, [], {
      command: (argv) => {
        commands.push(...formsOf(argv))
        for (const started of startedBy(argv))
          commands.push(...formsOf(started).map((form) => ({ ...form, sure: false })))
        for (const filled of filledBy(argv)) {
          commands.push(...formsOf(filled).map(({ argv }) => ({ argv, sure: false, open: true }) as const))
          whole &&= !filled.some(
            (word, at) => placeholder.test(word) && (/\s/.test(word) || /^-[a-z]*c$/.test(filled[at - 1] ?? ""))
          )
        }
        for (const word of argv) words.add(word)
        for (const url of urlsOf(argv)) urls.add(url)
      },
      text: (inner) => {
        whole &&= inner.trim() === "" || shapeOf(inner).complete
      }
    })
    visitor.visit(read(text).script)
    return found(whole && !visitor.exhausted)
  } catch {
    return found(false)
  }
}
