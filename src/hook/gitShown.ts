import { judgeLexical } from "../policy/path/PathPolicy.ts"
import type { DoingJudged } from "../policy/shell/doing/DoingJudged.ts"
import { ask, type Verdict } from "../policy/Verdict.ts"
import { excerpt } from "../text/excerpt.ts"
import { gitDirectoryOf, topOf } from "../tools/git/GitDirectory.ts"
import { tracked } from "../tools/git/Index.ts"
import { shownSecret } from "../tools/git/Shown.ts"
import type { Standing } from "./Standing.ts"

/** Why what git shows or searches is asked about: a file is tracked that holds secrets. Of past commits nothing is looked up. */
export const gitShown = (shown: DoingJudged["shown"], { context }: Standing): Verdict | undefined => {
  const isSecret = (file: string): boolean => {
    const { decision, rule } = judgeLexical(file, "grep", context)
    return decision !== "allow" && rule !== "path/outside"
  }
  for (const { contents, directory } of shown) {
    if (contents.of === "named") continue
    const top = topOf(directory)
    const place = top === undefined ? undefined : gitDirectoryOf(top)
    if (top === undefined || place === undefined) continue
    const known = tracked(`${place}/index`)
    if (known === undefined) return ask("shell/git-contents", "Which files git tracks here cannot be read.")
    // What is tracked stands for what past commits hold.
    const shows = contents.of === "past" ? { below: contents.below, changed: false } : contents
    const secret = shownSecret(shows, { directory, isSecret, top }, known)
    if (secret !== undefined) return ask("shell/git-contents", `git may show ${excerpt(secret)}.`)
  }
  return undefined
}
