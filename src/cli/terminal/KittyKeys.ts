import * as Option from "effect/Option"
import type { Key } from "./Key.ts"

/** Asks for keys that say their modifiers, and for what stands on the key in a Latin layout; see the kitty keyboard protocol. */
export const pushKittyKeys = "\u001b[>5u"
export const popKittyKeys = "\u001b[<u"

const escape = String.fromCharCode(27)

/** `CSI code:shifted:base ; modifiers u`, and xterm's `CSI 27 ; modifiers ; code ~`. */
const sequence = new RegExp(
  `${escape}\\[(?:(\\d+)(?::(\\d*))?(?::(\\d*))?(?:;(\\d*)(?::\\d*)?)?(?:;[\\d:]*)?u|27;(\\d+);(\\d+)~)`
)
const each = new RegExp(sequence, "g")

/** Letters of arrows and the like whose modifiers tell of lock keys as well. */
const locked = new RegExp(`${escape}\\[1;(\\d{2,})([A-H])`, "g")

const names: Readonly<Record<number, string>> = {
  9: "tab",
  13: "return",
  27: "escape",
  127: "backspace",
  57414: "return",
  57417: "left",
  57418: "right",
  57419: "up",
  57420: "down",
  57421: "pageup",
  57422: "pagedown",
  57423: "home",
  57424: "end",
  57426: "delete"
}

/** Keys of a control character that another name is known by. */
const controls: Readonly<Record<string, string>> = { "[": "escape", j: "enter", "-": "_", "/": "_" }

const shiftBit = 1
const altBit = 2
const controlBit = 4
/** Shift, alt and control; other modifiers make a key none of ours, and locks do not count. */
const known = 7
const others = 56

const keyOf = (code: number, modifiers: number, shifted: number, base: number): Key | undefined => {
  const bits = Math.max(0, modifiers - 1)
  if ((bits & others) !== 0) return undefined
  const [shift, meta, ctrl] = [shiftBit, altBit, controlBit].map((bit) => (bits & known & bit) !== 0)
  const plain = !ctrl && !meta
  const latin = !plain && code > 127 && base > 0 ? base : code
  const name = names[latin]
  const make = (name: string, input: string | undefined, control = ctrl === true): Key => ({
    input: Option.fromNullable(input),
    key: { name, ctrl: control, meta: meta === true, shift: shift === true }
  })
  if (name !== undefined) return make(name, undefined)
  if (latin < 32 || latin > 0x10ffff || (latin >= 57344 && latin <= 63743)) return undefined
  const text = String.fromCodePoint(plain && shift === true && shifted > 0 ? shifted : latin)
  if (plain) return make(text.toLowerCase(), text)
  const control = ctrl === true ? controls[text.toLowerCase()] : undefined
  if (control === "_") return make("_", undefined)
  return control === undefined ? make(text.toLowerCase(), undefined) : make(control, undefined, false)
}

/** The key of a sequence of that protocol; none where it means nothing here or is no such sequence. */
export const kittyKey = (text: string): Key | undefined => {
  const [, code, shifted, base, modifiers, otherModifiers, otherCode] = sequence.exec(text) ?? []
  const number = (digits: string | undefined) => Number(digits ?? "") || 0
  return code === undefined && otherCode === undefined
    ? undefined
    : keyOf(number(code ?? otherCode), number(modifiers ?? otherModifiers) || 1, number(shifted), number(base))
}

export const isKittyKey = (text: string): boolean => sequence.test(text)

/** What was typed, cut around such sequences. */
export const splitKittyKeys = (text: string): ReadonlyArray<string> => {
  if (!text.includes(escape)) return [text]
  const unlocked = text.replace(locked, (_, digits: string, letter: string) => {
    const bits = (Number(digits) - 1) & known
    return bits === 0 ? `${escape}[${letter}` : `${escape}[1;${bits + 1}${letter}`
  })
  const found = [...unlocked.matchAll(each)]
  const parts: Array<string> = []
  let from = 0
  for (const { 0: whole, index } of found) {
    parts.push(unlocked.slice(from, index), whole)
    from = index + whole.length
  }
  return [...parts, unlocked.slice(from)].filter((part) => part !== "")
}
