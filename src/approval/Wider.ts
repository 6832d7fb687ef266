import * as Either from "effect/Either"
import * as path from "node:path"
import { unwrapped } from "../policy/shell/Unwrapped.ts"
import { memo } from "../system/memo.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import type { ProjectRules } from "./ProjectRules.ts"
import type { Rule } from "./Rule.ts"
import { RuleBook } from "./RuleBook.ts"
import type { Subject } from "./Subject.ts"

/** What an answer covers beyond the call itself: other files of its directory, or other commands that begin as it does. */
export interface Wider {
  readonly kind: "directory" | "beginning"
  readonly rule: Rule
}

/** Programs whose later words are programs themselves, so that a common beginning says nothing. */
const open: ReadonlySet<string> = new Set(
  (
    "sh bash zsh dash ksh fish node deno bun python python2 python3 ruby perl php lua awk gawk sed find xargs parallel ssh " +
    "docker podman kubectl su doas chroot unshare watch strace gdb eval source . make npx pnpx bunx uvx pipx tsx ts-node"
  ).split(" ")
)

/** Words behind which the word comes that says what runs. */
const running: ReadonlySet<string> = new Set(["run", "run-script", "exec", "x", "dlx", "tool"])

/** Programs that make something new and do nothing else, whatever they are told to make. */
const creating: ReadonlySet<string> = new Set(["mkdir", "touch"])

/** A word that names a thing and is no option, path or pattern. */
const plainWord = /^[A-Za-z][A-Za-z0-9:_-]*$/

/** The words of a command that a person takes for what it does, e.g. `npm run build`; none where they say too little. */
const beginningOf = (command: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const [program = "", first = "", second = ""] = command
  if (unwrapped(command) !== command || program.includes("/") || open.has(program)) return undefined
  if (creating.has(program)) return [program]
  if (!plainWord.test(first)) return undefined
  if (!running.has(first)) return [program, first]
  return plainWord.test(second) ? [program, first, second] : undefined
}

/** One command, wholly understood, that neither destroys nor is forbidden. */
const isTame = (subject: Subject): boolean => {
  const level = subject.severity()?.level
  return subject.isHere && subject.shape?.commands.length === 1 && (level === "reads" || level === "ordinary")
}

const literal = (place: string): string => place.replaceAll(/[*?[\]\\]/g, "\\$&")

const ruleOf = (call: Pick<ToolCall, "name" | "tool">, subject: Subject): Wider | undefined => {
  const common = { id: "", decision: "allow", level: "session", tool: call.name } as const
  const { places, shape } = subject
  if (shape !== undefined) {
    const [command] = shape.commands
    const argv = command === undefined || !isTame(subject) ? undefined : beginningOf(command)
    return argv === undefined ? undefined : { kind: "beginning", rule: { ...common, argv } }
  }
  const [place, ...others] = places
  const [said = ""] = place?.paths ?? []
  if (place === undefined || others.length > 0 || !subject.bare || place.op === "remove" || place.op === "list")
    return undefined
  if (call.tool.category !== "files") return undefined
  return { kind: "directory", rule: { ...common, path: `${literal(path.posix.dirname(said))}/**` } }
}

const bookOf = memo(new WeakMap<Rule, RuleBook>(), (rule) =>
  Either.getOrElse(RuleBook.make([rule], { root: "/", trusted: true }), () => RuleBook.empty)
)

type Plainness = Pick<ProjectRules, "isPlain">

/**
 * Whether a wider answer covers a call: its rule fits, nothing that the call touches is protected or outside of the project, and a
 * command is one alone and no destructive one.
 */
export const covers = (rule: Rule, tool: string, subject: Subject, { isPlain }: Plainness): boolean =>
  bookOf(rule).verdict(tool, subject)?.decision === "allow" &&
  (subject.shape === undefined || isTame(subject)) &&
  isPlain(subject)

/** The widest answer that may be given to a call; none where it would not cover the call itself. */
export const widerOf = (
  call: Pick<ToolCall, "name" | "tool">,
  subject: Subject,
  project: Plainness
): Wider | undefined => {
  const wider = ruleOf(call, subject)
  return wider !== undefined && covers(wider.rule, call.name, subject, project) ? wider : undefined
}
