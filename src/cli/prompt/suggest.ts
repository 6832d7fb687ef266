import * as Effect from "effect/Effect"
import { go } from "fuzzysort"
import type { ProjectFiles } from "../../host/projectFiles.ts"
import { isImage } from "../attached.ts"
import type { Suggestion, Suggestions } from "../terminal/Palette.ts"
import type { CommandServices, Prompt } from "./commands/Command.ts"
import type { Commands } from "./commands/Commands.ts"

/** A path as a prompt attaches it. */
const attaching = (file: string): string => (/\s/.test(file) ? `@"${file}"` : `@${file}`)

/** Suggestions for one text. */
const limit = 100

/** The files that match and are there, the best first; all of them in their order where nothing is typed. */
const matchingFiles = (typed: string, { has, names }: ProjectFiles): ReadonlyArray<string> => {
  const found = typed === "" ? names : go(typed, names, { threshold: 0 }).map(({ target }) => target)
  const shown: Array<string> = []
  for (const name of found) {
    if (shown.length === limit) break
    if (has(name)) shown.push(name)
  }
  return shown
}

/** Those that match, the best first; all of them in their order where nothing is typed. */
const matching = (typed: string, items: ReadonlyArray<Suggestion>): ReadonlyArray<Suggestion> =>
  typed === "" ? items.slice(0, limit) : go(typed, items, { key: "word", limit, threshold: 0 }).map(({ obj }) => obj)

/** What follows a command that is typed. */
const ofCommand = (typed: string, at: number, prompt: Prompt, { all, find }: Commands) =>
  Effect.gen(function* () {
    const [, name = ""] = /^\/(\S*)/.exec(typed) ?? []
    if (at <= name.length + 1) {
      const named = all.map((one) => ({
        ...one,
        word: one.name,
        summary: `${one.arguments ?? ""}  ${one.summary}`.trim()
      }))
      return {
        from: 1,
        to: name.length + 1,
        items: matching(name.slice(0, at - 1), named),
        enter: find(name) === undefined ? ("takes and sends" as const) : ("sends" as const)
      }
    }
    const command = find(name)
    if (command?.complete === undefined) return undefined
    const words = typed
      .slice(name.length + 1, at)
      .trimStart()
      .split(/\s+/)
    const last = words.at(-1) ?? ""
    const items = yield* Effect.orElseSucceed(command.complete(words, prompt), () => [])
    return { from: at - last.length, to: at, items: matching(last, items), enter: "sends" as const }
  })

/** The files for what stands behind the `@` before the cursor, if there is one. */
export const ofFile = (typed: string, at: number, files: Effect.Effect<ProjectFiles>) =>
  Effect.gen(function* () {
    const [, word] = /(?:^|\s)@(\S*)$/.exec(typed.slice(0, at)) ?? []
    if (word === undefined) return undefined
    // An image keeps the sign that attaches it.
    const items = matchingFiles(word, yield* files).map((file) => ({ word: isImage(file) ? attaching(file) : file }))
    return { from: at - word.length - 1, to: at, items, enter: "takes" as const }
  })

/** How to go on with what is typed at a prompt: commands and their arguments, and files behind an `@`. */
export const suggest =
  (prompt: Prompt, commands: Commands, files: Effect.Effect<ProjectFiles>) =>
  (typed: string, at: number): Effect.Effect<Suggestions | undefined, never, CommandServices> =>
    /^\/(?!\/)/.test(typed) ? ofCommand(typed, at, prompt, commands) : ofFile(typed, at, files)

/** What was typed before that matches what is typed now, the latest first where nothing is. */
export const search =
  (entries: () => ReadonlyArray<string>) =>
  (typed: string): Effect.Effect<Suggestions | undefined> =>
    Effect.sync(() => {
      const latest = [...new Set(entries().toReversed())].map((word) => ({ word }))
      return { from: 0, to: typed.length, items: matching(typed.trim(), latest), enter: "takes" }
    })
