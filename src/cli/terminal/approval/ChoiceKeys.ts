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

/** What is not taken, by its name where it is one character; `act` is what it asks for where nothing else is pressed with it. */
export const refusalOf = (key: Key, act: Act | undefined): string => {
  const input = Option.getOrElse(key.input, () => "")
  const name = /^[!-~]$/.test(input) ? input : ""
  if (act !== undefined) return `${name === "" ? "a key" : name} came with other keys · wait a second`
  return `${name === "" ? "" : `${name} is `}not a valid key · wait a second`
}

/** Whether a key is pressed a second time. */
export const isRepeated = (key: Key, next: Key): boolean =>
  Option.isSome(key.input) && Option.contains(next.input, key.input.value) && !next.key.meta
