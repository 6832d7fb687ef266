import { canonicalHost } from "../network/HostPattern.ts"
import { lazy } from "../../system/lazy.ts"
import { percentDecoded } from "../../text/Url.ts"
import { type Invoked, invoked } from "./Invoked.ts"
import { shapeOf, type Shape } from "./Shape.ts"
import { words } from "./ShellPolicy.ts"
import { descended } from "./Traversal.ts"

/** What the words of a shell text are about, as paths from the directory that it runs in. */
export interface Reached {
  /** Words, or parts of one, that are paths. */
  readonly named: ReadonlyArray<string>
  /** What could be a path inside of a word that is more, e.g. a program or a message. */
  readonly mentioned: ReadonlyArray<string>
  /** Files and directories of which everything is read, at whatever depth. */
  readonly descended: ReadonlyArray<string>
}

/** What a shell text touches, as far as its words tell. */
export interface Effects {
  /** What it says, and how. */
  readonly shape: Shape
  /** What it may run. */
  readonly invoked: () => Invoked
  /** `unread` where it may be more than its words name: it is not fully known, or goes to another directory. */
  readonly paths: () => Reached | "unread"
  /** How many commands it has, one after the other; `null` where it is more than a plain list of them. */
  readonly commands: () => number | null
  /** Names that could be those of hosts. */
  readonly hosts: () => ReadonlyArray<string>
}

/** Where in a word a path may begin: after what introduces it, and after the letters of options that it is attached to. */
const parts = (word: string): ReadonlyArray<string> => {
  const [letters = ""] = /^-[A-Za-z]{1,16}/.exec(word) ?? []
  return [
    word,
    ...word.split(/[=:,@]/).slice(1),
    ...Array.from({ length: Math.max(0, letters.length - 1) }, (_, index) => word.slice(index + 2))
  ].filter((part) => part !== "")
}

const mentions = (word: string): ReadonlyArray<string> =>
  /[\s"'`();|<>{}]/.test(word) ? word.split(/[^\p{L}\p{N}_./~+@%-]+/u).filter((part) => part !== "") : []

const reached = ({ commands, complete, redirects }: Shape): Reached | "unread" => {
  if (!complete || commands.some(([name]) => name === "cd" || name === "pushd")) return "unread"
  const words = [...commands.flat(), ...redirects]
  return {
    named: words.flatMap(parts),
    mentioned: words.flatMap(mentions),
    descended: commands.flatMap(descended)
  }
}

/** A word as programs read it that connect to it: they decode a percent sign, and take the full stops of other scripts for dots. */
const decoded = (word: string): string => percentDecoded(word).replaceAll(/[\u3002\uff0e\uff61]/g, ".")

const hostLike = /\[[0-9a-f:.]+\]|[\p{L}\p{N}_][\p{L}\p{N}_.-]*/giu

/** The one judge of what a shell text touches; it never throws, and says where it does not know. */
export const effectsOf = (text: string): Effects => {
  const shape = shapeOf(text)
  const all = lazy(() => invoked(text))
  return {
    shape,
    invoked: all,
    paths: () => reached(shape),
    commands: () => words(text)?.length ?? null,
    hosts: () => {
      const words = [text, ...all().words].flatMap((word) => [word, decoded(word)])
      const named = new Set(words.flatMap((word) => word.match(hostLike) ?? []))
      return [...new Set([...named].flatMap((name) => canonicalHost(name) ?? []))]
    }
  }
}
