import * as Effect from "effect/Effect"
import { Workspace } from "../Workspace.ts"
import type { Withheld } from "../files/Withheld.ts"
import type { Git, GitOptions } from "./Git.ts"
import { mayShow, without } from "./pathspec.ts"

/** No program of the repository's choosing, no colours, and names as they are. */
const plain = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--no-renames",
  "--submodule=short",
  "--ignore-submodules=dirty"
]

/** Files left out at most; beyond that nothing is shown. */
const mostWithheld = 200

export interface Difference {
  readonly text: string
  /** All changed files but those that rules withhold, relative to the top of the tree. */
  readonly names: ReadonlyArray<string>
  /** Files whose content may not be shown without asking. */
  readonly withheld: ReadonlyArray<string>
}

/** A diff without the content of files that the path policy does not show without asking or that rules withhold. */
export const difference = Effect.fnUntraced(function* (
  git: Git,
  selection: ReadonlyArray<string>,
  paths: ReadonlyArray<string>,
  options: GitOptions = {},
  ruled?: Withheld
) {
  const { context } = yield* Workspace
  const listed = yield* git.run(["diff", ...plain, "--name-only", "-z", ...selection, "--", ...paths], {
    ...options,
    limit: 4 * 1024 * 1024,
    whole: true
  })
  const all = listed.stdout.split("\0").filter((name) => name !== "")
  const hidden = ruled === undefined ? [] : all.filter((name) => ruled.has(`${git.repository.top}/${name}`))
  const names = hidden.length === 0 ? all : all.filter((name) => !hidden.includes(name))
  const withheld = names.filter((name) => !mayShow(name, git.repository, context))
  const left = [...withheld, ...hidden]
  if (names.length === withheld.length || left.length > mostWithheld) return { text: "", names, withheld }
  const { stdout } = yield* git.run(["diff", ...plain, ...selection, "--", ...paths, ...left.map(without)], options)
  return { text: stdout, names, withheld } satisfies Difference
})

/** What is said of files that are left out. */
export const withheldNote = ({ withheld }: Difference): ReadonlyArray<string> =>
  withheld.length === 0
    ? []
    : [
        `[not shown, because it may hold secrets or lies outside: ${withheld
          .slice(0, 20)
          .map((name) => JSON.stringify(name))
          .join(", ")}]`
      ]
