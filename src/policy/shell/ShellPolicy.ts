import * as Either from "effect/Either"
import { ask, deny, type Verdict } from "../Verdict.ts"
import { deniedChange } from "./doing/DoingJudged.ts"
import { hardDenied } from "./Nested.ts"
import { plainCommands } from "./Plain.ts"
import { judgeReading } from "./ReadOnly.ts"
import type { ShellContext } from "./ShellContext.ts"
import { isTooLong, isTooComplex, maximumLength, read } from "./Source.ts"
import { firstUnseen, isOnlyJoined, shownUnseen } from "../../text/excerpt.ts"

/**
 * Judges a shell text: `deny` if anything in it must never run, `allow` if all of it is known to only read where the
 * path policy lets it, `ask` otherwise. It never throws, and what it cannot read asks.
 */
export const classify = (text: string, context: ShellContext): Verdict => {
  try {
    return judge(text, context)
  } catch {
    return ask("shell/not-analysed", "Its analysis failed.")
  }
}

const judge = (text: string, context: ShellContext): Verdict => {
  if (isTooLong(text)) return ask("shell/too-long", `Longer than the ${maximumLength} bytes that are analysed.`)
  const unseen = firstUnseen(text)
  if (unseen !== undefined && !isOnlyJoined(text))
    return deny("shell/unseen-character", `Contains ${unseen}, which is invisible; remove it.`)
  if (text.trim() === "") return deny("shell/blank", "It is empty.")
  if (isTooComplex(text)) return ask("shell/too-complex", "Has more commands and substitutions than are analysed.")
  const source = read(text)
  const denied = hardDenied(source, context)
  if (denied.verdict !== undefined) return denied.verdict
  if (unseen !== undefined)
    return deniedBlank(text, context) ?? ask("shell/unseen-character", `${shownUnseen(text, unseen)}.`)
  if (denied.exhausted) return ask("shell/too-complex", "Has more parts than are analysed.")
  const commands = plainCommands(source, context.variables)
  const verdict = Either.isLeft(commands) ? commands.left : judgeReading(commands.right, context)
  return verdict.decision === "ask" ? (deniedChange(text, context) ?? verdict) : verdict
}

/** Why a text never runs where a shell takes a blank of another kind for one. */
const deniedBlank = (text: string, context: ShellContext): Verdict | undefined => {
  const plain = text.replaceAll(/\p{Zs}/gu, " ")
  return hardDenied(read(plain), context).verdict ?? deniedChange(plain, context)
}

/** The words of every command in a text that is a list of literal commands and nothing else. */
export const words = (text: string): ReadonlyArray<ReadonlyArray<string>> | undefined => {
  if (isTooLong(text) || isTooComplex(text) || firstUnseen(text) !== undefined) return undefined
  try {
    const commands = Either.getOrUndefined(plainCommands(read(text)))
    if (commands?.some(({ args }) => args.some((arg) => arg.glob || arg.tilde)) === true) return undefined
    return commands?.map(({ args, name }) => [name, ...args.map((arg) => arg.value)])
  } catch {
    return undefined
  }
}
