import type { Verdict } from "../Verdict.ts"

/** Where a shell text would run and what the path policy says there. */
export interface ShellContext {
  /** Absolute. */
  readonly cwd: string
  /** Absolute directories that tools may work in. */
  readonly roots: ReadonlyArray<string>
  /** Absolute; what `~` stands for. */
  readonly home: string
  /** Whether a person has trusted the workspace. */
  readonly trusted: boolean
  /** Whether git runs with the helpers that a repository can configure switched off; without it git always asks. */
  readonly hardenedGit?: boolean
  /**
   * The path policy. It is given an absolute path that may hold `..` and `.` segments, so that it can resolve links
   * itself, and names directories too.
   */
  readonly judgePath: (path: string, op: "read" | "write") => Verdict
}
