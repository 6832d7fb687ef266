import * as Option from "effect/Option"
import { isCtrl, type Key } from "../Key.ts"
import type { Act, Choice } from "./Choices.ts"

/** Which way a key goes through the choices. */
export const stepOf = ({ key: { name } }: Key): number =>
  name === "down" || name === "right" ? 1 : name === "up" || name === "left" ? -1 : 0

/** What a key asks for; nothing where it is none of those that are shown. A capital counts for its letter unless it has a meaning. */
export const choiceOf = (key: Key, choices: ReadonlyArray<Choice>): Act | undefined => {
  if (isCtrl(key, "d")) return { _tag: "Deny" }
  const input = Option.getOrElse(key.input, () => "")
  const named = (text: string) => choices.find((one) => one.key === text)?.act
  return named(input) ?? (input === "A" ? undefined : named(input.toLowerCase()))
}

/** What is not taken, by its name where it is one character. */
export const refusalOf = (key: Key): string => {
  const input = Option.getOrElse(key.input, () => "")
  return `${/^[!-~]$/.test(input) ? `${input} is ` : ""}not a valid key · wait a second`
}
