import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as FileReader from "../../src/policy/path/FileReader.ts"
import * as FileRemover from "../../src/policy/path/FileRemover.ts"
import * as FileWriter from "../../src/policy/path/FileWriter.ts"
import type { PathContext } from "../../src/policy/path/PathContext.ts"
import { judge, type JudgedPath } from "../../src/policy/path/PathPolicy.ts"
import { isWithin } from "../../src/policy/path/PathText.ts"
import { walk } from "../../src/policy/path/Walk.ts"
import * as Tree from "./Tree.ts"

/** What was found and read. */
export interface Seen {
  readonly names: ReadonlyArray<string>
  readonly text: string
}

const nothing: Seen = { names: [], text: "" }
const written = Buffer.from("new\n")
const textOf = ({ bytes }: FileReader.FileContent): string => Buffer.from(bytes).toString("latin1")

const is = <Op extends JudgedPath["op"]>(judged: JudgedPath, ...ops: ReadonlyArray<Op>): judged is JudgedPath<Op> =>
  (ops as ReadonlyArray<string>).includes(judged.op)

/** Does with a path what it was judged for, by the means of the tools; a search reads every file that it may. */
export const use = (judged: JudgedPath, context: PathContext) => {
  if (is(judged, "read")) {
    return Effect.map(FileReader.read(judged), (content): Seen => ({ names: [judged.path], text: textOf(content) }))
  }
  if (is(judged, "write")) return Effect.as(FileWriter.write(judged, written), nothing)
  if (is(judged, "remove")) return Effect.as(FileRemover.remove(judged), nothing)
  return walk(judged as JudgedPath<"list" | "glob" | "grep">).pipe(
    Stream.filter(({ decision, kind }) => kind === "file" && decision === "allow"),
    Stream.mapEffect(({ path }) =>
      judge(path, "read", context).pipe(
        Effect.flatMap((file) => FileReader.read(file)),
        Effect.match({ onFailure: () => "", onSuccess: textOf }),
        Effect.map((text): Seen => ({ names: [path], text }))
      )
    ),
    Stream.runFold(nothing, (all, one) => ({ names: [...all.names, ...one.names], text: all.text + one.text }))
  )
}

/** What stands in the tree, inside and outside of the roots. */
export interface Sight {
  readonly all: ReadonlyMap<string, string>
  readonly outside: ReadonlyMap<string, string>
}

export const look = (tree: Tree.Tree, { roots }: PathContext): Sight => ({
  all: Tree.outside(tree, []),
  outside: Tree.outside(tree, roots)
})

interface Facts {
  readonly before: Sight
  readonly after: Sight
  readonly seen: ReadonlyArray<Seen>
  /** Where a name of the case stands on the disk. */
  readonly place: (name: string) => string
}

const same = (self: ReadonlyMap<string, string>, that: ReadonlyMap<string, string>): boolean =>
  self.size === that.size && [...self].every(([name, text]) => that.get(name) === text)

type Invariant = readonly [RegExp, (facts: Facts, name: string) => boolean]

const invariants: ReadonlyArray<Invariant> = [
  [/^outsideUnchanged()$/, ({ after, before }) => same(before.outside, after.outside)],
  [
    /^noSecretReturned()$/,
    ({ before, seen }) => {
      const secrets = [...before.outside.values()].filter((text) => text.length > 4)
      return seen.every(({ text }) => !secrets.some((secret) => text.includes(secret)))
    }
  ],
  [/^creates=(.+)$/, ({ place }, name) => fs.existsSync(place(name))],
  [
    /^noResultUnder=(.+)$/,
    ({ place, seen }, name) => seen.every(({ names }) => !names.some((found) => isWithin(found, place(name))))
  ],
  [/^(\S+) exists$/, ({ after, place }, name) => after.all.has(place(name))],
  [/^(\S+) unchanged$/, ({ after, before, place }, name) => after.all.get(place(name)) === before.all.get(place(name))]
]

/** Whether it says something that can be looked at here. */
export const isKnown = (words: string): boolean => invariants.some(([form]) => form.test(words))

/** Which of what is demanded is not so; what nobody knows here demands nothing. */
export const violated = (
  demanded: ReadonlyArray<string>,
  before: Sight,
  after: Sight,
  rest: Pick<Facts, "place" | "seen">
): ReadonlyArray<string> =>
  demanded.filter((words) =>
    invariants.some(([form, holds]) => {
      const [, name] = form.exec(words) ?? []
      return name !== undefined && !holds({ before, after, ...rest }, name)
    })
  )
