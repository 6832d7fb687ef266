import type * as Either from "effect/Either"
import type { PhysicalPath } from "../path/PhysicalPath.ts"
import type { Verdict } from "../Verdict.ts"
import type { Descent, Found } from "./Descent.ts"
import type { GitContents } from "./GitContents.ts"
import type { Variables } from "./Plain.ts"

/** Where a shell text would run and what the path policy says there. */
export interface ShellContext {
  /** Absolute. */
  readonly cwd: string
  /** Absolute directories that tools may work in. */
  readonly roots: ReadonlyArray<string>
  /** Absolute; what `~` stands for. */
  readonly home: string
  /** What variables of the environment stand for, by name; a word with another one, or a loop where this is absent, asks. */
  readonly variables?: Variables
  /** Whether a person has trusted the workspace. */
  readonly trusted: boolean
  /** Whether git runs with the helpers that a repository can configure switched off; without it git always asks. */
  readonly hardenedGit?: boolean
  /** Why git must not run unasked in a directory, or must not show such contents there. */
  readonly judgeGit?: (directory: string, contents: GitContents) => Verdict | undefined
  /** Whether what runs unasked has limits of memory and time, which languages such as those of awk and jq need. */
  readonly limited?: boolean
  /**
   * The path policy. It is given an absolute path that may hold `..` and `.` segments, so that it can resolve links
   * itself, and names directories too.
   */
  readonly judgePath: (path: string, op: "read" | "write") => Verdict
  /**
   * What the shell would put in place of a pattern in a directory, at most so many paths, none where nothing matches; or
   * why that is not known. Without it every pattern asks.
   */
  readonly expand?: (pattern: string, from: string, most: number) => Either.Either<ReadonlyArray<string>, Verdict>
  /** The path policy on a file below a physical directory, where no link is left to be resolved; `judgePath` without it. */
  readonly judgeFound?: (path: string) => Verdict
  /** The files that a search below a directory opens; without it only what such a search is named is judged. */
  readonly descend?: (descent: Descent) => Either.Either<Found, Verdict>
  /** Whether git ignores an absolute path, so that what lies there can be made again; only what is destructive depends on it. */
  readonly isIgnored?: ((path: string) => boolean) | undefined
  /** Where links lead; without it a path is taken for what it is called. */
  readonly resolve?: (path: string) => Either.Either<PhysicalPath, Verdict>
}
