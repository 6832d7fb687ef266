import type { ApprovalRequest, Scope, WiderKind } from "../../../tool/ApprovalRequest.ts"
import { visibleLine } from "../../../text/visible.ts"
import { columns } from "../Layout.ts"
import type { Style } from "../Style.ts"

/** What a choice does. */
export type Act =
  | { readonly _tag: "Allow"; readonly scope: Exclude<Scope, "always"> }
  | { readonly _tag: "Wider"; readonly kind: WiderKind }
  | { readonly _tag: "Always" | "Deny" | "Reason" | "Details" | "Unmasked" | "Edit" | "Remaining" }

/** An answer that a person can give, by its key or by going to it. */
export interface Choice {
  readonly key: string
  readonly words: string
  /** The same where there is little room. */
  readonly brief: string
  readonly act: Act
}

/** What decides which choices there are. */
export interface Offer {
  readonly request: Pick<ApprovalRequest, "masked" | "scopes" | "wider">
  /** All that an approval covers has been on the screen. */
  readonly read: boolean
  /** Other requests of the same answer that could be allowed together with this one. */
  readonly remaining: number
}

export const approves = ({ _tag }: Act): boolean => _tag === "Allow" || _tag === "Always" || _tag === "Wider"

const choice = (key: string, words: string, brief: string, act: Act): Choice => ({ key, words, brief, act })

/** Columns of what commands begin with, among the choices. */
const mostBeginning = 24

/** What a wider answer covers, in words: what the commands begin with. */
const widerWords = ({ kind, rule }: NonNullable<Offer["request"]["wider"]>): string => {
  if (kind === "directory") return "this directory"
  const beginning = visibleLine(rule.slice(rule.indexOf(": ") + 2))
  return columns(beginning) <= mostBeginning ? beginning : "commands like it"
}

/** The choices in their order; none approves while there is something left to read. */
export const choicesOf = ({ read, remaining, request: { masked, scopes, wider } }: Offer): ReadonlyArray<Choice> => {
  const plain = masked === undefined
  const scope = (scope: Scope, made: Choice) => (read && scopes.includes(scope) ? [made] : [])
  return [
    ...(read
      ? []
      : [
          plain
            ? choice("d", "read it all", "read it all", { _tag: "Details" })
            : choice("v", "read it all, unmasked", "read unmasked", { _tag: "Unmasked" })
        ]),
    ...scope("once", choice("y", "allow once", "once", { _tag: "Allow", scope: "once" })),
    ...scope("task", choice("t", "this task", "task", { _tag: "Allow", scope: "task" })),
    ...scope("session", choice("s", "this session", "session", { _tag: "Allow", scope: "session" })),
    ...(wider === undefined
      ? []
      : scope("session", choice("w", widerWords(wider), "wider", { _tag: "Wider", kind: wider.kind }))),
    ...scope("always", choice("a", "always", "always", { _tag: "Always" })),
    choice("n", "deny", "deny", { _tag: "Deny" }),
    choice("r", "deny with reason", "why", { _tag: "Reason" }),
    ...(read && !plain ? [choice("v", "view masked", "view", { _tag: "Unmasked" })] : []),
    ...(read ? [choice("d", "details", "more", { _tag: "Details" })] : []),
    ...(plain ? [choice("e", "edit", "edit", { _tag: "Edit" })] : []),
    ...(plain && remaining > 0
      ? [choice("A", `all ${remaining + 1}`, `all ${remaining + 1}`, { _tag: "Remaining" })]
      : [])
  ]
}

const lead = "allow?"
const chosen = "❯"

const rowsIn = (items: ReadonlyArray<string>, gap: string, room: number): ReadonlyArray<string> => {
  const rows: Array<string> = []
  for (const item of items) {
    const last = rows.at(-1)
    const longer = last === undefined ? item : `${last}${gap}${item}`
    if (last !== undefined && columns(longer) <= room) rows[rows.length - 1] = longer
    else rows.push(item)
  }
  return rows
}

/** Rows that the choices may take with all their words. */
const mostRows = 2

/** The choices as rows below the question, the selected one marked, and what else is said at their end. */
export const choiceRows = (
  choices: ReadonlyArray<Choice>,
  selected: number | undefined,
  tail: string,
  width: number,
  style: Style
): ReadonlyArray<string> => {
  const room = Math.max(4, width - lead.length - 2)
  const marked = (index: number, text: string) =>
    `${index === selected ? style.cyan(chosen) : " "}${index === selected ? style.cyan(text) : text}`
  const worded = (form: "words" | "brief", gap: string) =>
    rowsIn(
      choices.map((one, index) => marked(index, `${style.bold(one.key)} ${one[form]}`)),
      gap,
      room
    )
  const forms = [worded("words", "  "), worded("brief", " ")]
  const bare = rowsIn(
    choices.map(({ key }, index) => (index === selected ? style.cyan(`${chosen}${key}`) : style.bold(key))),
    "/",
    room
  )
  const rows = forms.find((form) => form.length <= mostRows) ?? bare
  const said = rows.map(
    (row, index) => `${index === 0 ? style.yellow(lead) : " ".repeat(lead.length)}${rows === bare ? " " : ""}${row}`
  )
  if (tail === "") return said
  const last = said.at(-1) ?? ""
  const free = width - columns(last) - columns(tail)
  return free >= 2
    ? [...said.slice(0, -1), `${last}${" ".repeat(free)}${style.dim(tail)}`]
    : [...said, `${" ".repeat(Math.max(0, width - columns(tail)))}${style.dim(tail)}`]
}
