import { judgeLexical } from "../policy/path/PathPolicy.ts"
import type { ShellContext } from "../policy/shell/ShellContext.ts"
import { classify } from "../policy/shell/ShellPolicy.ts"
import { ask, type Verdict } from "../policy/Verdict.ts"
import { excerpt } from "../text/excerpt.ts"
import { gitDirectoryOf, topOf } from "../tools/git/GitDirectory.ts"
import { tracked } from "../tools/git/Index.ts"
import type { Standing } from "./Standing.ts"

/**
 * Why git shows or searches secrets by a shell text: a file is tracked that holds some. Of past commits nothing is looked up; what
 * is tracked stands for them.
 */
export const gitShown = (text: string, shell: ShellContext, { context }: Standing): Verdict | undefined => {
  if (!text.includes("git")) return undefined
  let found: Verdict | undefined
  const secretIn = (directory: string): Verdict | undefined => {
    const top = topOf(directory)
    const place = top === undefined ? undefined : gitDirectoryOf(top)
    if (top === undefined || place === undefined) return undefined
    const names = tracked(`${place}/index`)?.names
    if (names === undefined) return ask("shell/git-contents", "Which files git tracks here cannot be read.")
    const secret = names.find((name) => {
      const { decision, rule } = judgeLexical(`${top}/${name}`, "grep", context)
      return decision !== "allow" && rule !== "path/outside"
    })
    return secret === undefined ? undefined : ask("shell/git-contents", `git may show ${excerpt(secret)}.`)
  }
  classify(text, {
    ...shell,
    trusted: true,
    hardenedGit: true,
    judgeGit: (directory, { of }) => {
      if (of !== "named") found ??= secretIn(directory)
      return undefined
    }
  })
  return found
}
