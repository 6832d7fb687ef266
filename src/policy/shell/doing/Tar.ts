import type { Literal } from "../Literal.ts"
import { everything } from "../Search.ts"
import { filledWith } from "./TreeChanges.ts"
import { does, type Step, type Touch, unknownPart, unread, type Unread } from "./Step.ts"

const unclear = unread("tar", "it is not known what it does with these words")
const harmless = /^--(?:strip-components=\d+|exclude=.*|gzip|bzip2|xz|verbose|no-same-owner|exclude-vcs|wildcards)$/
const letters = /^-?(?=[^-]*[xct])[xctzjJvfpkO]+$/
const modes = { x: "x", t: "t", c: "c" } as const

/** What `tar` does in its common forms: packs what it is given, lists, or fills a directory with names that no word says. */
export const tarDoes = (args: ReadonlyArray<Literal>): Step | Unread => {
  if (args.some(({ value }) => value.includes(unknownPart + unknownPart))) return unclear
  const [flags, ...rest] = args
  const value = flags?.value ?? ""
  if (!letters.test(value)) return unclear
  const [mode] = Object.values(modes).filter((one) => value.includes(one))
  const archives: Array<Literal> = []
  const operands: Array<Literal> = []
  let within: Literal | undefined
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!
    if (at === 0 && value.includes("f")) archives.push(word)
    else if (word.value === "-C" && rest[at + 1] !== undefined) within = rest[++at]
    else if (word.value.startsWith("-")) {
      if (!harmless.test(word.value)) return unclear
    } else operands.push(word)
  }
  if (
    value.includes("f") &&
    (archives.length === 0 || archives[0]!.value.startsWith("-") || archives[0]!.value.includes(":")) &&
    archives[0]?.value !== "-"
  )
    return unclear
  const target: Literal = within ?? { value: ".", bare: true, glob: false, tilde: false }
  const touch = (word: Literal, op: Touch["op"], more: Partial<Touch> = {}): Touch => ({ word, op, by: "tar", ...more })
  if (mode === "c") {
    // What is packed is named from the directory given; the archive is not.
    const inside = operands.map((word) =>
      within === undefined || word.value.startsWith("/")
        ? word
        : { ...word, value: `${within.value}/${word.value}`, tilde: within.tilde }
    )
    return does({
      touches: [
        ...archives.filter(({ value }) => value !== "-").map((word) => touch(word, "write", { made: inside })),
        ...inside.map((word) => touch(word, "read", { below: everything }))
      ]
    })
  }
  if (mode === "x" && value.includes("p"))
    return unread("tar", "it keeps the modes of the archive, which may lend rights")
  const reads = archives.map((word) => touch(word, "read"))
  if (mode === "t" || value.includes("O")) return does({ touches: reads })
  return does({
    touches: [...reads, touch(target, "write", { fills: true, made: archives }), filledWith(target, "tar")]
  })
}
