import * as Either from "effect/Either"
import * as path from "node:path"
import { parseJson } from "../text/Json.ts"
import { makeVisible, visibleLine } from "../text/visible.ts"
import type { CallShown } from "../ui/Display.ts"
import { type Phase, worded } from "../ui/verbs.ts"
import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk"
import { output, said } from "./fenced.ts"
import type { CallRunning, Terminals } from "./Terminals.ts"

const kinds: Readonly<Record<string, ToolKind>> = {
  read_file: "read",
  list_dir: "read",
  read_output: "read",
  git_status: "read",
  git_diff: "read",
  write_file: "edit",
  edit_file: "edit",
  apply_patch: "edit",
  glob: "search",
  grep: "search",
  recall: "search",
  search_history: "search",
  run_shell: "execute",
  stop_command: "execute",
  git_commit: "execute",
  git_push: "execute",
  fetch_url: "fetch",
  delegate: "think",
  need_input: "think",
  todo: "think",
  remember: "think"
}

/** What kind of thing a tool does, as editors tell them apart. */
export const kindOf = (tool: string): ToolKind => (Object.hasOwn(kinds, tool) ? (kinds[tool] ?? "other") : "other")

/** Tools whose parameter `path` is a file, and those whose patch names several. */
const onFiles: ReadonlySet<string> = new Set(["read_file", "write_file", "edit_file", "list_dir", "grep", "glob"])

/** Characters of a title. */
const maxTitle = 200

/** Who calls, and what for, on one line. */
export const titleOf = (call: Pick<CallShown, "tool" | "arguments" | "worker">, phase: Phase): string => {
  const { object, verb } = worded(call, phase)
  const path = call.worker.slice(1).map((name) => `${name} › `)
  const text = visibleLine(`${path.join("")}${verb}${object === "" ? "" : ` ${object}`}`)
  return text.length > maxTitle ? `${text.slice(0, maxTitle - 1)}…` : text
}

/** The arguments of a call as data, or as the text that they came as. */
export const inputOf = (json: string): unknown => (json === "" ? {} : Either.getOrElse(parseJson(json), () => json))

/** The file that a built-in tool is about, for the editor to go to; nothing is judged by it. */
const placeOf = ({ arguments: json, tool }: CallShown, directory: string): ReadonlyArray<string> => {
  const given = inputOf(json)
  const named = typeof given === "object" && given !== null && "path" in given ? given.path : undefined
  return onFiles.has(tool) && typeof named === "string" && named !== "" ? [path.resolve(directory, named)] : []
}

/** How much of a call an editor is shown. */
const limits = { output: 16 * 1024, notes: 50, note: 2000, changes: 50, places: 100 }

/** A call as an editor shows it, from its beginning to its end. */
export class Call {
  /** What is asked for, and what runs once it does. */
  shown: CallShown
  private readonly directory: string
  private readonly places: Set<string>
  private readonly changes: Array<ToolCallContent> = []
  private readonly notes: Array<string> = []
  private text = ""
  /** Where the editor runs it. */
  terminal: string | undefined
  /** Whether it has passed the gate. */
  started = false
  /** Whether there is output that the editor has not been shown. */
  fresh = false

  constructor(shown: CallShown, directory: string) {
    this.shown = shown
    this.directory = directory
    this.places = new Set(placeOf(shown, directory))
  }

  /** It runs with other arguments than those that were asked for. */
  replace(shown: CallShown): void {
    this.shown = shown
    this.places.clear()
    for (const place of placeOf(shown, this.directory)) this.places.add(place)
  }

  get locations(): Array<ToolCallLocation> {
    return [...this.places].map((path) => ({ path }))
  }

  /** What it has put out, its last characters. */
  put(text: string): void {
    if (this.terminal !== undefined) return
    this.text = (this.text + text).slice(-limits.output)
    this.fresh = true
  }

  /** Whether it is to be shown from now on with the terminal that it runs in, in place of what it puts out. */
  runsIn(terminals: Terminals): boolean {
    if (this.terminal !== undefined || !this.started) return false
    this.terminal = terminals.show((running) => this.isIt(running))
    return this.terminal !== undefined
  }

  /** Ids of a model come again, but not while one of them runs. */
  private isIt({ callId, taskId = "", workerPath }: CallRunning): boolean {
    const { key } = this.shown
    const place = JSON.stringify([taskId, workerPath]).slice(0, -1)
    return key.startsWith(`${place},`) && key.endsWith(`,${JSON.stringify(callId)}]`)
  }

  note(text: string): void {
    if (this.notes.length < limits.notes) this.notes.push(makeVisible(text).slice(0, limits.note))
  }

  changed(content: ReadonlyArray<ToolCallContent>, place: string | undefined): void {
    this.changes.push(...content.slice(0, Math.max(0, limits.changes - this.changes.length)))
    if (place !== undefined && this.places.size < limits.places) this.places.add(place)
  }

  /** All of it that there is to see; how it ended, with its result, in place of what was put out before. */
  content(ended?: { readonly why: string; readonly result: string; readonly isDone: boolean }): Array<ToolCallContent> {
    const { result = "", why = this.text } = ended ?? {}
    const shown = [...this.changes, ...this.notes.map(said)]
    if (this.terminal !== undefined) {
      const more = ended === undefined || ended.isDone ? [] : [output(why)]
      return [...shown, { type: "terminal", terminalId: this.terminal }, ...more]
    }
    const last = [why, result].filter((part) => part !== "").join("\n")
    return [...shown, ...(last === "" ? [] : [output(last)])]
  }
}
