import * as Either from "effect/Either"
import { allow, ask, type Verdict } from "../../../src/policy/Verdict.ts"
import type { ShellContext } from "../../../src/policy/shell/ShellContext.ts"

const secret = /^(?:\.env(?:\.(?!example$).*)?|\.git|\.npmrc|\.tollgate|\.ssh|.*\.(?:pem|key)|id_[a-z0-9]+)$/i

/** A path policy by the letter: inside the roots is allowed, secrets and all else ask. */
export const judgePathIn =
  (roots: ReadonlyArray<string>) =>
  (path: string): Verdict => {
    const segments: Array<string> = []
    for (const segment of path.split("/")) {
      if (segment === "..") segments.pop()
      else if (segment !== "" && segment !== ".") segments.push(segment)
    }
    const real = `/${segments.join("/")}`
    if (!roots.some((root) => real === root || real.startsWith(`${root}/`))) return ask("path/outside", "outside")
    return segments.some((segment) => secret.test(segment))
      ? ask("path/secret", "secret")
      : allow("path/inside", "inside")
  }

/** What the rows of the corpus assume unless they say otherwise; no pattern matches anything. */
export const contextOf = (given: Partial<Omit<ShellContext, "judgePath">> = {}): ShellContext => {
  const roots = given.roots ?? ["/w"]
  const expand = () => Either.right([])
  return { cwd: "/w", roots, home: "/home/u", trusted: false, expand, ...given, judgePath: judgePathIn(roots) }
}
