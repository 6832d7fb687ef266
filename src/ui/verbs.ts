import * as Either from "effect/Either"
import { parseJson } from "../text/Json.ts"
import type { CallShown } from "./Display.ts"
import { brief } from "./Arguments.ts"

/** What a call of a tool is called while it waits, runs, and once it has ended. */
interface Verb {
  readonly asked: string
  readonly running: string
  readonly ended: string
  /** Parameters that other rows show, or nobody needs. */
  readonly without?: ReadonlyArray<string>
  /** The parameter that says it all. */
  readonly only?: string
}

export type Phase = "asked" | "running" | "ended"

const verb = (asked: string, running: string, ended: string, ...without: ReadonlyArray<string>): Verb => ({
  asked,
  running,
  ended,
  without
})

/** By the name of the tool, which a model may make up. */
export const verbs: ReadonlyMap<string, Verb> = new Map(
  Object.entries<Verb>({
    read_file: verb("Read", "Reading", "Read"),
    list_dir: verb("List", "Listing", "Listed"),
    glob: verb("Find", "Finding", "Found"),
    grep: verb("Search", "Searching", "Searched"),
    write_file: verb("Write", "Writing", "Wrote", "content"),
    edit_file: verb("Edit", "Editing", "Edited", "old_text", "new_text"),
    apply_patch: verb("Patch", "Patching", "Patched", "patch"),
    run_shell: verb("Run", "Running", "Ran", "background"),
    fetch_url: verb("Fetch", "Fetching", "Fetched"),
    git_status: verb("Run git status", "Running git status", "Ran git status"),
    git_diff: verb("Run git diff", "Running git diff", "Ran git diff"),
    git_commit: verb("Commit", "Committing", "Committed"),
    git_push: verb("Push", "Pushing", "Pushed"),
    delegate: { ...verb("Delegate", "Delegating", "Delegated"), only: "task" },
    need_input: { ...verb("Ask its parent", "Asking its parent", "Asked its parent"), only: "question" },
    remember: verb("Remember", "Remembering", "Remembered"),
    recall: verb("Recall", "Recalling", "Recalled"),
    ask_user: verb("Ask", "Asking", "Asked", "options")
  })
)

const patched = /^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)(.+)$/gm

/** The arguments without those that need no place in a row. */
const rest = (json: string, without: ReadonlyArray<string>): string => {
  const parsed = parseJson(json === "" ? "{}" : json)
  if (Either.isLeft(parsed) || typeof parsed.right !== "object" || parsed.right === null) return json
  return JSON.stringify(Object.fromEntries(Object.entries(parsed.right).filter(([name]) => !without.includes(name))))
}

/** A parameter that is a text. */
const textOf = (json: string, name: string): string | undefined => {
  const parsed = parseJson(json)
  const given = Either.isRight(parsed) ? (parsed.right as Readonly<Record<string, unknown>> | null)?.[name] : undefined
  return typeof given === "string" ? given : undefined
}

/** The files of a patch, whichever of the two forms it has. */
const filesOf = (json: string): string =>
  [...(textOf(json, "patch") ?? "").matchAll(patched)].map(([, name]) => name).join(" ")

/** What a call does, in words: the verb of a built-in tool, the name of any other, and what it does it to. */
export const worded = (
  { arguments: json, tool }: Pick<CallShown, "tool" | "arguments">,
  phase: Phase
): { readonly verb: string; readonly object: string } => {
  const known = verbs.get(tool)
  if (known === undefined) return { verb: tool, object: brief(json) }
  const alone = known.only === undefined ? undefined : textOf(json, known.only)
  if (alone !== undefined) return { verb: known[phase], object: alone }
  const object = tool === "apply_patch" ? filesOf(json) : brief(rest(json, known.without ?? []))
  return { verb: known[phase], object }
}

/** How many of a kind of reading were done, in words. */
export const readings: ReadonlyMap<string, (count: number) => string> = new Map(
  Object.entries({
    read_file: (count: number) => `read ${count} ${count === 1 ? "file" : "files"}`,
    list_dir: (count: number) => `listed ${count}`,
    glob: (count: number) => `found files ${count === 1 ? "once" : `${count} times`}`,
    grep: (count: number) => `searched ${count === 1 ? "once" : `${count} times`}`
  })
)
