import * as Either from "effect/Either"
import { percentDecoded } from "../../../text/Url.ts"
import { usage } from "../Arguments.ts"
import type { Literal } from "../Literal.ts"
import type { ReadOnlyCommand } from "../ReadOnlyCommand.ts"
import type { OrdinaryCommand } from "./OrdinaryCommand.ts"
import { everything, searchOf } from "../Search.ts"
import { countsByExpression } from "./Printf.ts"
import { does, type Step, type Touch, unknownPart, unread, type Unread } from "./Step.ts"
import { filledWith } from "./TreeChanges.ts"
import { isKnown, plain } from "./Unknown.ts"

const here: Literal = { ...plain, value: "." }

/** Whether a value that is sent is taken from a file or the input, or is not known; what is told at the end can go to a file. */
const isTaken = ([option, value]: readonly [option: string, value: string]): boolean => {
  if (/^(?:-H|--header)$/.test(option)) return value.startsWith("@")
  if (/^(?:-w|--write-out)$/.test(option) && value.includes("%output{")) return true
  return option !== "--data-raw" && (option === "--data-urlencode" ? /^[^=]*@/ : /^@/).test(value)
}

/** The files in which it saves what it gets from addresses, by their last names. */
const savedNames = (
  { saves }: OrdinaryCommand,
  options: ReadonlySet<string>,
  urls: ReadonlyArray<Literal>,
  written: ReadonlyArray<Literal>
): ReadonlyArray<Literal> => {
  const has = (some: string): boolean => some.split(" ").some((option) => options.has(option))
  if (saves === undefined || (saves.with !== undefined && !has(saves.with))) return []
  if (saves.without !== undefined && has(saves.without)) return []
  const directories = saves.at !== undefined && has(saves.at) ? written : [here]
  return urls.flatMap(({ value }) => {
    const [, whole = ""] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*\/([^#]*)$/i.exec(value.replace(/#.*$/s, "")) ?? []
    const [path = ""] = whole.split("?")
    const names = [path.slice(path.lastIndexOf("/") + 1), whole.slice(path.lastIndexOf("/") + 1)]
    return directories.flatMap((directory) =>
      [...new Set([...names, ...names.map(percentDecoded)])]
        .filter((name) => name !== "" && !name.includes(unknownPart))
        .map((name) => ({ ...directory, value: `${directory.value}/${name}` }))
    )
  })
}

/** They print their words, whatever a file is called. */
export const spoken = new Set("echo printf basename dirname".split(" "))

/** What a listed use of a command touches; what the table does not say is not known. */
export const listedDoes = (
  name: string,
  command: ReadOnlyCommand & OrdinaryCommand,
  args: ReadonlyArray<Literal>
): Step | Unread => {
  if (name === "printf" && countsByExpression(args)) return unread(name, "what it counts can run code")
  const isSplit = args.some(({ value }) => value.includes(unknownPart + unknownPart))
  if (isSplit && command.raw !== true && name !== "printf")
    return unread(name, "some of its words are known only at run time")
  const given = args.map((word) => {
    if (word.glob && command.operands === "url" && /^[^*?]*\[[0-9a-f:.]+\][^*?[]*$/i.test(word.value))
      return { ...word, glob: false }
    if (word.glob && spoken.has(name)) return { ...word, glob: false }
    return word
  })
  const found = usage(name, command, given)
  if (Either.isLeft(found)) return unread(name, "it is not known what it does with these words")
  const { operands, options, paths, sent, urls, written } = found.right
  if (paths.some(({ bare, value }) => bare && /\^|.#/.test(value)))
    return unread(name, "some shells take one of its words for a pattern")
  const isSending = command.operands === "url" && given.some((word) => !isKnown(word) && !urls.includes(word))
  if (isSending || sent.some(isTaken)) return unread(name, "it sends a file, or what is known only at run time")
  if (command.refuses !== undefined && given.some(({ value }) => command.refuses!.test(value)))
    return unread(name, "it is not known what it does with these words")
  const isPlain = command.raw === true || name === "printf"
  if (!isPlain && command.operands === "text" && operands.some(({ value }) => value.startsWith(unknownPart)))
    return unread(name, "some of its words are known only at run time")
  const has = (some: string): boolean => some.split(" ").some((option) => options.has(option))
  const { fills, goesThrough, links, writes, writesHere } = command
  const isFilling =
    fills !== undefined &&
    !(fills.with !== undefined && has(fills.with)) &&
    (fills.only === undefined || has(fills.only))
  const last = operands.length > 1 && written.length === 0 ? operands.slice(-1) : []
  const changed = [
    ...written,
    ...(writes === "all"
      ? operands
      : writes === "first"
        ? operands.slice(0, 1)
        : writes === "last"
          ? last
          : writes !== undefined && has(writes.with)
            ? operands
            : []),
    ...(isFilling && written.length === 0 ? [here] : []),
    ...(writesHere !== undefined && operands.length < 2 ? [here] : []),
    ...(links !== undefined && links.with === undefined && operands.length < 2 && written.length === 0 ? [here] : [])
  ]
  const saved = [
    ...savedNames(command, options, urls, written),
    ...(command.unpacks === undefined ? [] : operands).flatMap((word) => {
      const unpacked = word.value.replace(command.unpacks!, "")
      return unpacked === word.value ? [] : [{ ...word, value: unpacked }]
    })
  ]
  const search = searchOf(command, found.right)
  const read = search !== undefined && found.right.bare ? [...paths, here] : paths
  const sources = read.filter((path) => !changed.includes(path))
  const below = goesThrough === true || command.compares === true || (goesThrough !== undefined && has(goesThrough))
  const follows = command.compares === true || command.follows === true || has(command.follows ?? "")
  const opened = below ? { below: everything, follows } : search === undefined ? {} : { below: search }
  const isLinked = links !== undefined && (links.with === undefined || has(links.with))
  const fromThere = isLinked && has(links.symbolic) && !(links.relative !== undefined && has(links.relative))
  return does({
    touches: [
      ...sources.map((word): Touch => ({
        word,
        op: "read",
        by: name,
        ...opened,
        ...(has(command.keepsMode ?? "") && { keepsMode: true })
      })),
      ...(isLinked
        ? changed.flatMap((at) =>
            sources.map((word): Touch => ({ word, op: "link", by: name, linked: { at, fromThere } }))
          )
        : []),
      ...changed.map((word): Touch => ({
        word,
        op: "write",
        by: name,
        ...((writes === "last" || writes === "all") && {
          named: written.length > 0 || changed.includes(here) ? operands : operands.slice(0, -1)
        }),
        ...(command.removes === true && { removes: true }),
        ...((command.removes === true || (isLinked && links.with === undefined)) && { unfollowed: true }),
        ...((below || isFilling) && { fills: true }),
        ...(command.content === "kept"
          ? { made: [] }
          : (command.content === "copied" || (fills !== undefined && fills.only === undefined)) && { made: operands })
      })),
      ...saved.map((word): Touch => ({ word, op: "write", by: name })),
      ...(isFilling && fills.only === undefined ? changed.map((word) => filledWith(word, name)) : [])
    ],
    urls: urls.map(({ value }) => value)
  })
}
