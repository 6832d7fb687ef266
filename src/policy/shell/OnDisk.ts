import * as Either from "effect/Either"
import * as fs from "node:fs"
import type { PathContext } from "../path/PathContext.ts"
import { judgeLexical, judgeNow, protectedChange } from "../path/PathPolicy.ts"
import { resolve } from "../path/PhysicalPath.ts"
import { allow, type Verdict } from "../Verdict.ts"
import { descend } from "./Descent.ts"
import { expand } from "./Expansion.ts"
import { findBelow } from "./FoundFiles.ts"
import type { ShellContext } from "./ShellContext.ts"

/** Whether a file goes by no other name, which could be that of a protected one. */
const isOnlyName = (path: string): boolean => fs.lstatSync(path, { throwIfNoEntry: false })?.nlink === 1

const allowed = allow("path/inside", "it is inside an allowed root")

/** What a shell text is judged by on the disk of this machine, by the boundary of one call. */
export const onDisk = (context: PathContext) => {
  const { cwd, home, roots } = context
  const judgePath = (path: string, op: "read" | "write"): Verdict =>
    Either.match(judgeNow(path, op === "write" ? "write" : "grep", context), {
      onLeft: (refused) => refused,
      onRight: ({ verdict }) => (verdict.decision === "allow" ? allowed : verdict)
    })
  return {
    cwd,
    roots,
    home,
    trusted: false,
    hardenedGit: false,
    variables: { HOME: home, PWD: cwd },
    judgePath,
    protectedChange: (path) => protectedChange(path, context),
    judgeFound: (path) => (isOnlyName(path) ? judgeLexical(path, "grep", context) : judgePath(path, "read")),
    expand,
    descend,
    findBelow,
    resolve
  } satisfies ShellContext
}
