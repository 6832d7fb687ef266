import * as Either from "effect/Either"
import { allow } from "../Verdict.ts"
import { destroyed } from "./Nested.ts"
import type { Remark, Surroundings } from "./Reading.ts"
import { plainCommands } from "./Plain.ts"
import { judgeReading } from "./ReadOnly.ts"
import { isTooComplex, isTooLong, maximumLength, read, type Source } from "./Source.ts"
import { excerpt, firstUnseen, isOnlyJoined, shownUnseen } from "../../text/excerpt.ts"

/**
 * How bad a command is: `reads` changes nothing, `destructive` deletes, overwrites or publishes what is hard to get back or runs
 * what nobody has read, `forbidden` never runs, and all else is `ordinary`.
 */
export type Level = "reads" | "ordinary" | "destructive" | "forbidden"

/** How bad a shell text is, by its worst command. */
export interface Severity {
  readonly level: Level
  /** The commands that make it so, the worst first; none of a text that only reads. */
  readonly because: ReadonlyArray<Remark>
}

const maximumRemarks = 16

/**
 * Says how bad a shell text is, by the words of every command in it, whatever wraps or nests them. It looks at no file and never
 * throws; what cannot be analysed counts as destructive.
 */
export const severity = (text: string, context: Surroundings): Severity => {
  try {
    return judge(text, context)
  } catch {
    return unread(text, "Its analysis failed, so its effects are unknown")
  }
}

const unread = (text: string, reason: string): Severity => ({
  level: "destructive",
  because: [{ command: excerpt(text).slice(1, -1), reason }]
})

const judge = (text: string, context: Surroundings): Severity => {
  if (isTooLong(text)) {
    return unread(text, `It is longer than the ${maximumLength} bytes that are analysed, so its effects are unknown`)
  }
  const unseen = firstUnseen(text)
  if (unseen !== undefined && !isOnlyJoined(text)) {
    return { level: "forbidden", because: [{ command: "", reason: `Contains ${unseen}, which is invisible` }] }
  }
  if (isTooComplex(text)) return unread(text, "It has more commands than are analysed, so its effects are unknown")
  const source = read(text)
  const { denied, exhausted, remarks, verdict } = destroyed(source, context)
  const unique = remarks.filter(
    ({ command, reason }, index) =>
      remarks.findIndex((other) => other.reason === reason && other.command.endsWith(command)) === index
  )
  if (verdict !== undefined) {
    const command = denied ?? excerpt(text).slice(1, -1)
    return {
      level: "forbidden",
      because: [{ command, reason: phrase(verdict.reason) }, ...unique].slice(0, maximumRemarks)
    }
  }
  if (exhausted) return unread(text, "It has more parts than are analysed, so its effects are unknown")
  if (unseen !== undefined) return unread(text, shownUnseen(text, unseen))
  if (unique.length > 0) return { level: "destructive", because: unique.slice(0, maximumRemarks) }
  if (source.error !== undefined) return unread(text, "It is not valid shell syntax, so its effects are unknown")
  return reading(source, context)
}

const phrase = (reason: string): string =>
  reason.replace(/\.$/, "").replace(/^It (\w)/, (_, first: string) => first.toUpperCase())

/** Whether all of it is known to only read, wherever it does. */
const reading = (source: Source, { cwd, home, roots }: Surroundings): Severity => {
  const commands = plainCommands(source, { HOME: home, PWD: cwd })
  const verdict = Either.isLeft(commands)
    ? commands.left
    : judgeReading(commands.right, {
        cwd,
        home,
        roots,
        trusted: true,
        hardenedGit: true,
        limited: true,
        judgeGit: () => undefined,
        judgePath: () => readable,
        expand: () => Either.right([]),
        findBelow: () => Either.right({ files: [], links: [], odd: undefined, option: undefined, looks: 0 })
      })
  return verdict.decision === "allow"
    ? { level: "reads", because: [] }
    : { level: "ordinary", because: [{ command: excerpt(source.text).slice(1, -1), reason: phrase(verdict.reason) }] }
}

const readable = allow("shell/path", "It may be read.")
