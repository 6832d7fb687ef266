import { judgeLexical } from "../policy/path/PathPolicy.ts"
import type { GitContents } from "../policy/shell/GitContents.ts"
import type { ShellContext } from "../policy/shell/ShellContext.ts"
import { classify } from "../policy/shell/ShellPolicy.ts"
import { ask, type Verdict } from "../policy/Verdict.ts"
import { excerpt } from "../text/excerpt.ts"
import { gitDirectoryOf, topOf } from "../tools/git/GitDirectory.ts"
import { tracked } from "../tools/git/Index.ts"
import { shownSecret } from "../tools/git/Shown.ts"
import type { Standing } from "./Standing.ts"

/** What is tracked stands for what past commits hold. */
const everything = { of: "tracked", below: [], changed: false } as const

/**
 * Why git shows or searches secrets by a shell text: a file is tracked that holds some. Of past commits nothing is
 * looked up.
 */
export const gitShown = (text: string, shell: ShellContext, { context }: Standing): Verdict | undefined => {
  if (!text.includes("git")) return undefined
  let found: Verdict | undefined
  const isSecret = (file: string): boolean => {
    const { decision, rule } = judgeLexical(file, "grep", context)
    return decision !== "allow" && rule !== "path/outside"
  }
  const secretIn = (directory: string, shown: GitContents): Verdict | undefined => {
    const top = topOf(directory)
    const place = top === undefined ? undefined : gitDirectoryOf(top)
    if (top === undefined || place === undefined) return undefined
    const known = tracked(`${place}/index`)
    if (known === undefined) return ask("shell/git-contents", "Which files git tracks here cannot be read.")
    const secret = shownSecret(shown.of === "tracked" ? shown : everything, { directory, isSecret, top }, known)
    return secret === undefined ? undefined : ask("shell/git-contents", `git may show ${excerpt(secret)}.`)
  }
  classify(text, {
    ...shell,
    trusted: true,
    hardenedGit: true,
    judgeGit: (directory, shown) => {
      if (shown.of !== "named") found ??= secretIn(directory, shown)
      return undefined
    }
  })
  return found
}
