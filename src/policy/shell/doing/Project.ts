import { jqFilter } from "../JqFilter.ts"
import { commandName } from "../Wrappers.ts"
import type { Literal } from "../Literal.ts"
import { isHarmlessFor } from "./Environment.ts"
import {
  elsewhere,
  filterIn,
  hasKnownGoals,
  interpreterOf,
  interpreters,
  outputOption,
  projectPrograms,
  projectVerbs,
  runningLetters,
  runningOption,
  takesInput,
  takesScriptText,
  takesText,
  unbundled,
  unscoped
} from "./ProjectPrograms.ts"
import { httpServerDoes } from "./HttpServer.ts"
import { onlyReads, startsNamed } from "./StartedFiles.ts"
import { clonedBy, isCheckout, outward } from "./Outward.ts"
import { filledWith } from "./TreeChanges.ts"
import { plain } from "./Unknown.ts"
import { does, type Step, type Touch, unknownPart, unread, type Unread } from "./Step.ts"

/** Characters by which a word is more than a name, a pattern or a number. */
const special = /[\s;|&`$()<>'"\\]/

/** `-` by itself, behind letters of options or behind the name of one. */
const fromInput = /^(?:-|-[A-Za-z]+-|--?[\w-]+=-)$/

const isAssignment = /^([^-=\s][^=\s:+?]*)(?:::?|[+?!])?=(.*)$/s

/** Whether a word names a target of a build, not a file. */
const isLabel = (name: string, args: ReadonlyArray<string>, at: number): boolean =>
  name === "bazel" &&
  /^-?\/\/(?!(?:.*\/)?\.\.(?:\/|$))[\w./:*+-]*$/.test(args[at] ?? "") &&
  args[at - 1]?.startsWith("-") !== true &&
  !args.slice(0, at).includes("--")

/** What of a word could be the name of a file. */
const places = (value: string): ReadonlyArray<string> => {
  const [, , given] = /^(--?[\w.-]+)=(.*)$/s.exec(value) ?? []
  const attached =
    /^-[A-Za-z]+((?:\.{0,2}|~)\/.*)$/s.exec(value)?.[1] ?? /^-[A-Za-z]([^/]*\/.*|\..*)$/s.exec(value)?.[1]
  const word = given ?? attached ?? (value.startsWith("-") ? "" : value)
  return word.split(/[:,=]/).filter((part) => /[/~]|^\./.test(part) && part !== "." && !part.startsWith("@"))
}

/** Directories that a program is told to work in. */
const workedIn = (name: string, args: ReadonlyArray<Literal>): ReadonlyArray<Touch> =>
  args.flatMap((word, at): ReadonlyArray<Touch> => {
    const [, joined] = /^(?:-C(?=[^=])|--(?:directory|prefix|cwd|dir|target|root)=)(.+)$/s.exec(word.value) ?? []
    const isNext = /^(?:-C|--(?:directory|prefix|cwd|dir|target|root))$/.test(args[at - 1]?.value ?? "")
    const given = joined ?? (isNext ? word.value : undefined)
    return given === undefined ? [] : [{ word: { ...word, value: given }, op: "enter", by: name }]
  })

/** The files that a program runs by its words, or by what it finds where none names one. */
const started = (name: string, args: ReadonlyArray<Literal>): ReadonlyArray<Touch> => {
  const files = startsNamed.get(name)
  if (files === undefined) return []
  const named = args.flatMap((word): ReadonlyArray<Literal> => {
    const { value } = word
    if (!value.startsWith("-")) return [word]
    return [
      /^--?[\w-]+=(.+)$/s.exec(value)?.[1] ?? "",
      /^-[A-Za-z]+?(?=[^A-Za-z=]|(?<=f))(.+)$/s.exec(value)?.[1] ?? ""
    ]
      .filter((given) => given !== "")
      .map((given) => ({ ...word, value: given }))
  })
  const found = files.flatMap((file) =>
    ["", ...named.map(({ value }) => `${value}/`)].map((at) => ({ ...plain, value: `${at}${file}` }))
  )
  return [...(onlyReads.has(name) ? [] : named), ...found].map((word): Touch => ({ word, op: "start", by: name }))
}

const installs = /^(?:install|i|add|in|ins|isntall|update|up|upgrade)$/

/** Whether a word is a package of a repository or an address, by the ways in which these programs are told so. */
const fetched = (name: string, verb: string, value: string): boolean => {
  if (name === "deno") return /^(?:npm|jsr|data|blob):/.test(value)
  if (name === "go") return /^(?:run|install)$/.test(verb) && value.includes("@")
  return (
    /^(?:npm|pnpm|yarn|bun)$/.test(name) &&
    installs.test(verb) &&
    /^(?:git(?:hub|lab)?|bitbucket|gist|git\+\w+|ssh):|^git@|^[\w-][\w.-]*\/[\w.-]+(?:#.*)?$/.test(value)
  )
}

/** Whether a word says what the program does, or which script or target of the project it runs. */
const isVerb = (name: string, args: ReadonlyArray<string>, at: number): boolean => {
  const isFirst = args.findIndex((arg) => !arg.startsWith("-")) === at
  return (
    (isFirst && Object.hasOwn(projectVerbs, name)) ||
    (/^(?:npm|pnpm|yarn)$/.test(name) && /^(?:run|run-script)$/.test(args[at - 1] ?? ""))
  )
}

/** What the words of a program of a project name, or why one of them is not understood. */
const mentioned = (name: string, args: ReadonlyArray<Literal>): ReadonlyArray<Touch> | Unread => {
  const letters = Object.hasOwn(runningLetters, name) ? runningLetters[name] : undefined
  const own = Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined
  const odd = (reason: string): Unread => unread(name, reason)
  const values = args.map(({ value }) => value)
  if (!hasKnownGoals(name, values)) return odd("it is not known what one of its goals does")
  const touches: Array<Touch> = []
  const verb = values.find((value) => !value.startsWith("-")) ?? ""
  for (const [index, word] of args.entries()) {
    const { glob, tilde, value } = word
    const before = args[index - 1]?.value ?? ""
    const option = /^--?[\w.-]+/.exec(value)?.[0] ?? ""
    if (runningOption.test(value) || letters?.test(value) === true)
      return odd(`${value.split("=")[0]} can make it run something else`)
    if (value.includes(unknownPart)) return odd("some of its words are known only at run time")
    if (/^[\w+-]+:\/\//.test(value)) return odd("it is given an address")
    const isText =
      takesText(name, before) ||
      (value.includes("=") && takesText(name, option)) ||
      takesScriptText(name, values, index - 1)
    if (isText) continue
    const filter = filterIn(name, before, value)
    if (filter !== undefined) {
      if (!jqFilter.test(filter)) return odd("its filter may show the environment")
      continue
    }
    if (isLabel(name, values, index)) continue
    if (takesInput.test(name) && fromInput.test(value)) return odd("it runs what is typed or piped into it")
    if (fetched(name, verb, value)) return odd("it is fetched from elsewhere")
    if (special.test(value)) return odd("one of its words can be a program")
    if (value.includes("://")) return odd("it is given an address")
    const [, variable, given] = isAssignment.exec(value) ?? []
    if (variable !== undefined && name.endsWith("make") && !isHarmlessFor(variable, given))
      return odd(`${variable} can make it run something else`)
    const isElsewhere = own !== undefined && !own.test(before) && !own.test(option)
    if (isElsewhere && verb !== "build") continue
    const found =
      own !== undefined && /^(?:-v|--volume)$/.test(before)
        ? [value.split(":")[0] ?? ""]
        : tilde
          ? [value]
          : places(value)
    const isInline = value.startsWith("-")
    const isOutput = outputOption.test(isInline ? (value.includes("=") ? option : value.slice(0, 2)) : before)
    const isValue = isInline || (before.startsWith("-") && !before.includes("="))
    const isBare = found.length === 0 && !isOutput && !isInline && !isVerb(name, values, index)
    if (isBare && /^[^-/@][^/]*$/.test(value))
      touches.push({ word, op: "mention", changes: "possibly", ifLink: true, by: name })
    if (isElsewhere) continue
    for (const place of found.length === 0 && isOutput && !isInline ? [value] : found) {
      const isWhole = place === value
      touches.push({
        word: { ...word, value: place, glob: glob && isWhole, tilde: place.startsWith("~") && (tilde || isWhole) },
        op: isOutput ? "write" : "mention",
        changes: isValue ? "likely" : "possibly",
        ...(isOutput && { made: args.filter((one) => !one.value.startsWith("-")) }),
        by: name
      })
    }
  }
  return touches
}

const onlyTells = /^(?:--version|-v|-V|--help|-h|version|help)$/

/** What the values of its options name: files that an interpreter loads, or that it writes. */
const optionPlaces = (name: string, options: ReadonlyArray<Literal>): ReadonlyArray<Touch> =>
  options.flatMap(({ value }) =>
    places(value).flatMap((place): ReadonlyArray<Touch> => {
      const word = { ...plain, value: place }
      return [
        { word, op: "mention", changes: "likely", by: name },
        { word, op: "start", by: name }
      ]
    })
  )

/** The words of a shell without `-o NAME`; nothing where it is told otherwise how to work. */
const withoutSets = (args: ReadonlyArray<Literal>): ReadonlyArray<Literal> | undefined => {
  const at = args.findIndex(({ value }) => !value.startsWith("-") || value === "-")
  const [word] = at < 0 ? [] : args.slice(at)
  if (word?.value.startsWith("+") === true) return undefined
  if (at < 1 || !/^-[euxn]*o$/.test(args[at - 1]!.value)) return args
  return /^(?:pipefail|errexit|nounset|xtrace|noexec)$/.test(word?.value ?? "")
    ? withoutSets([...args.slice(0, at - 1), ...args.slice(at + 1)])
    : undefined
}

/** An interpreter with a file to run; a program in its words is one that nobody has read. */
const interpreted = (name: string, kind: string, given: ReadonlyArray<Literal>): Step | Unread => {
  const options = interpreters.get(kind)!
  const args = kind === "shell" ? withoutSets(given) : given
  if (args === undefined) return unread(name, "it is told to work in another way")
  const at = args.findIndex(({ value }) => !value.startsWith("-") || value === "-")
  const before = at < 0 ? args : args.slice(0, at)
  if (args.length === 1 && onlyTells.test(args[0]!.value)) return does({})
  const isModule = kind === "python" && before.length === 1 && before[0]?.value === "-m"
  if (!isModule && !before.every(({ value }) => options.test(value)))
    return unread(name, "it runs a program that nobody has read, or is told what to load")
  if (at < 0) {
    return before.some(({ value }) => value.startsWith("--test"))
      ? does({ touches: optionPlaces(name, before) })
      : unread(name, "it runs what is typed or piped into it")
  }
  if (args[at]!.value === "-") return unread(name, "it runs what is typed or piped into it")
  const script = args[at]!
  const words = args.slice(at + 1)
  if (isModule && script.value === "http.server") return httpServerDoes(words)
  const rest = mentioned(name, words)
  if ("reason" in rest) return rest
  const values = words.map(({ value }) => value)
  const reason = isModule ? outward(script.value, values) : undefined
  if (reason !== undefined) return unread(`${name} -m ${script.value}`, reason)
  if (/(?:^|\/)manage\.py$/.test(script.value) && args.some(({ value }) => /^(?:db)?shell(?:_plus)?$/.test(value)))
    return unread(name, "it runs a program that nobody has read")
  return script.value.includes(unknownPart)
    ? unread(name, "what it runs is known only at run time")
    : does({
        touches: isModule
          ? [...rest, ...started(script.value, words)]
          : [
              ...optionPlaces(name, before),
              { word: script, op: "mention", by: name },
              ...(before.some(({ value }) => value.startsWith("--test")) ? args.slice(at) : [script]).map(
                (word): Touch => ({ word, op: "start", by: name })
              ),
              ...rest
            ]
      })
}

/** What a program of a project does: it runs the project's code, and names places. Nothing for one that is not known. */
export const projectDoes = (called: string, args: ReadonlyArray<Literal>): Step | Unread | undefined => {
  const name = commandName(called)
  if (called.includes("/")) {
    // A file of the project, which has been written by a call that was judged.
    const rest = mentioned(name, args)
    const word: Literal = { value: called, bare: true, glob: false, tilde: false }
    return "reason" in rest
      ? rest
      : does({
          touches: [
            { word, op: "mention", by: called },
            { word, op: "start", by: called },
            ...started(name, args),
            ...rest
          ]
        })
  }
  if (!projectPrograms.has(called)) return undefined
  const kind = interpreterOf(called)
  if (kind !== undefined) return interpreted(called, kind, args)
  const verbs = Object.hasOwn(projectVerbs, called) ? projectVerbs[called] : undefined
  const apart = unscoped(called, args).flatMap((word) =>
    unbundled(called, word.value).map((value) => (value === word.value ? word : { ...word, value }))
  )
  const verb = apart.find(({ value }) => !value.startsWith("-"))?.value
  if (verbs !== undefined && verb !== undefined && !verbs.test(verb))
    return unread(`${called} ${verb}`, "it is not known what it does")
  const rest = mentioned(called, apart)
  if ("reason" in rest) return rest
  const values = apart.map(({ value }) => value)
  const reason = outward(called, values)
  const cloned = clonedBy(called, values)
  const place = cloned === undefined ? undefined : { ...plain, value: cloned }
  const filled: ReadonlyArray<Touch> =
    place === undefined
      ? isCheckout(called, values)
        ? [filledWith({ ...plain, value: "." }, `${called} pr checkout`)]
        : []
      : [{ word: place, op: "write", by: called, fills: true }, filledWith(place, called)]
  return reason === undefined
    ? does({ touches: [...workedIn(called, args), ...rest, ...started(called, args), ...filled] })
    : unread([called, ...args.slice(0, 2).map(({ value }) => value)].join(" "), reason)
}
