import type { Literal } from "../Literal.ts"
import { does, isUnread, type Step, type Touch, unread, type Unread } from "./Step.ts"

const called = "python -m http.server"
const here = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/
const offers = unread(called, "it offers the files of a directory to the network; --bind 127.0.0.1 keeps them here")
const unclear = unread(called, "it is not known what it does with these words")

/** What one option with its value does: where it is reached, by which protocol, and what it offers. */
const given = (option: string, word: Literal): ReadonlyArray<Touch> | Unread => {
  if (/^(?:-b|--bind)$/.test(option)) return here.test(word.value) ? [] : offers
  if (/^(?:-p|--protocol)$/.test(option)) return /^HTTP\/[\d.]+$/.test(word.value) ? [] : unclear
  return [{ word, op: "mention", by: called }]
}

/** What the server of files does that python has: it stays on this machine if each address that it is given is one of it. */
export const httpServerDoes = (args: ReadonlyArray<Literal>): Step | Unread => {
  if (args.length === 1 && /^(?:-h|--help)$/.test(args[0]!.value)) return does({})
  const touches: Array<Touch> = []
  let isBound = false
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!
    if (/^\d{1,5}$/.test(word.value)) continue
    const [, long, short, joined] = /^(?:(--(?:bind|directory|protocol))|(-[bdp]))(?:=?(.+))?$/s.exec(word.value) ?? []
    const option = long ?? short
    const value = joined === undefined ? args[++at] : { ...word, value: joined }
    if (option === undefined || value === undefined) return unclear
    const found = given(option, value)
    if (isUnread(found)) return found
    isBound ||= /^(?:-b|--bind)$/.test(option)
    touches.push(...found)
  }
  return isBound ? does({ touches }) : offers
}
