import type * as Either from "effect/Either"
import type { PhysicalPath } from "../path/PhysicalPath.ts"
import type { Verdict } from "../Verdict.ts"
import type { Descent, Found } from "./Descent.ts"
import type { FindStart, FoundFiles } from "./FoundFiles.ts"
import type { GitContents } from "./GitContents.ts"
import type { Variables } from "./PlainWords.ts"

/** Where a shell text would run and what the path policy says there. */
export interface ShellContext {
  /** Absolute. */
  readonly cwd: string
  /** Absolute directories that tools may work in. */
  readonly roots: ReadonlyArray<string>
  /** The absolute home directory, for `~`. */
  readonly home: string
  /** Known environment variables by name; a word with another variable asks, and so does a loop if this is unset. */
  readonly variables?: Variables
  /** Directories, but the one where it stands, in which the shell looks for one that `cd` names (`CDPATH`). */
  readonly cdPath?: ReadonlyArray<string>
  /** Whether a person has trusted the workspace. */
  readonly trusted: boolean
  /** Whether git runs with the helpers that a repository can configure switched off; without it git always asks. */
  readonly hardenedGit?: boolean
  /** Why git must not run without asking in a directory, or must not show such contents there. */
  readonly judgeGit?: (directory: string, contents: GitContents) => Verdict | undefined
  /** Whether commands that run without asking have memory and time limits, which awk and jq programs need. */
  readonly limited?: boolean
  /**
   * The path policy. It is given an absolute path that may hold `..` and `.` segments, so that it can resolve links
   * itself, and names directories too.
   */
  readonly judgePath: (path: string, op: "read" | "write") => Verdict
  /** What protects a path from being changed wherever it lies, inside of the roots or not. */
  readonly protectedChange?: (path: string) => Verdict | undefined
  /**
   * What the shell would put in place of a pattern in a directory, at most so many paths, none where nothing matches; or
   * why that is not known. Without it every pattern asks.
   */
  readonly expand?: (pattern: string, from: string, most: number) => Either.Either<ReadonlyArray<string>, Verdict>
  /** The path policy on a file below a physical directory, where no link is left to be resolved; `judgePath` without it. */
  readonly judgeFound?: (path: string) => Verdict
  /** The files that a search below a directory opens; without it only what such a search is named is judged. */
  readonly descend?: (descent: Descent) => Either.Either<Found, Verdict>
  /** The files that `find` takes below a starting point; without it they are known only at run time. */
  readonly findBelow?: (start: FindStart) => Either.Either<FoundFiles, Verdict>
  /**
   * Whether git ignores an absolute path and tracks nothing of it: its files can be made again, and searches that go by git leave
   * them out.
   */
  readonly isIgnored?: ((path: string) => boolean) | undefined
  /** Where links lead; without it a path is taken for what it is called. */
  readonly resolve?: (path: string) => Either.Either<PhysicalPath, Verdict>
}
