import { fit, hanging } from "../terminal/Layout.ts"
import type { Style } from "../terminal/Style.ts"
import { many } from "../../ui/Words.ts"
import type { PastCall, Was } from "../../host/PastCall.ts"
import { changes, type Judged, type Now } from "./Judged.ts"
import type { Trouble, Unread } from "./Trouble.ts"
import { oneLine } from "../../text/visible.ts"

/** A call and what is said of it, as it is shown: without secrets. */
export interface Row extends Omit<PastCall, "input">, Judged {
  readonly parameters: unknown
  /** It would go another way than it went. */
  readonly changes: boolean
}

interface Group {
  readonly was: Was
  readonly now: Now
  count: number
  readonly examples: Array<string>
}

/** Examples of a group. */
const maxExamples = 3

const telling = ["command", "cmd", "file_path", "notebook_path", "path", "url", "patch", "input", "pattern"]

/** What a person knows a call by. */
const gist = (parameters: unknown): string => {
  if (typeof parameters === "string") return parameters
  const fields: Readonly<Record<string, unknown>> =
    typeof parameters === "object" && parameters !== null ? { ...parameters } : {}
  const found = telling.map((name) => fields[name]).find((value) => value !== undefined)
  return typeof found === "string" ? found : JSON.stringify(found ?? fields)
}

const exampleOf = ({ agent, parameters, tool }: Row): string => oneLine(`${agent} ${tool}: ${gist(parameters)}`)

const said: Readonly<Record<Now, string>> = {
  allow: "allow",
  defer: "left to it",
  ask: "ask",
  deny: "deny",
  unjudged: "not judged"
}

/** Counts calls by what became of them and what would. */
export class Tally {
  private readonly found = new Map<string, Group>()

  add(row: Row): void {
    const { now, reason, was } = row
    const key = `${was} ${now}`
    const group = this.found.get(key) ?? { was, now, count: 0, examples: [] }
    group.count += 1
    this.found.set(key, group)
    if (group.examples.length >= maxExamples) return
    const example = `${exampleOf(row)}\n${oneLine(reason)}`
    if (!group.examples.includes(example)) group.examples.push(example)
  }

  /** What would change first, and what there is most of. */
  get groups(): ReadonlyArray<Readonly<Group> & { readonly changes: boolean }> {
    return [...this.found.values()]
      .map((group) => ({ ...group, changes: changes(group.was, group.now) }))
      .toSorted((a, b) => Number(b.changes) - Number(a.changes) || b.count - a.count)
  }
}

const whereOf = ({ file, line }: Unread): string => (line === undefined ? file : `${file}:${line}`)

/** The table for a person. */
export const rendered = (
  { groups }: Tally,
  { count, first }: Trouble,
  { style, width }: { readonly style: Style; readonly width: number }
): string => {
  const sum = (some: typeof groups): number => some.reduce((total, one) => total + one.count, 0)
  const changed = sum(groups.filter((one) => one.changes))
  const unjudged = sum(groups.filter(({ now }) => now === "unjudged"))
  const head = [
    `${many(sum(groups), "call")}: ${changed} would change`,
    ...(unjudged === 0 ? [] : [`${unjudged} cannot be judged`])
  ]
  const rows = groups.flatMap((group) => [
    `${group.changes ? style.yellow("!") : " "} ${group.was.padEnd(8)} → ${said[group.now].padEnd(10)} ${style.bold(String(group.count).padStart(6))}`,
    ...group.examples.flatMap((example) => {
      const [call = "", reason = ""] = example.split("\n")
      return [fit(`    ${call}`, width), style.dim(fit(`      ${reason}`, width))]
    })
  ])
  const table = [head.join(", "), ...(rows.length === 0 ? [] : ["", "  then     → now         calls", ...rows])]
  const unread = [
    ...(count === 0 ? [] : [`${many(count, "line or file", "lines or files")} could not be read and were left out:`]),
    ...first.map((one) => `  ${whereOf(one)}: ${one.problem}`),
    ...(count > first.length ? [`  and ${count - first.length} more`] : [])
  ]
  return `${table.join("\n")}\n${unread.map((line) => hanging("", oneLine(line), width)).join("")}`
}
