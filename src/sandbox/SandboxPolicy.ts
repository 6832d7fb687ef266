/**
 * What a sandboxed command may touch. It comes from configuration only, so no argument of a call can widen it. Relative
 * paths start at `cwd`; what does not exist is not created.
 */
export interface SandboxPolicy {
  /** Directories that have to be there, to be read; most of the system is in any case, but not in every sandbox. */
  readonly readable?: ReadonlyArray<string>
  /** Directories that may be written. The root of the file system cannot be one. */
  readonly writable: ReadonlyArray<string>
  /**
   * Read-only, also within a writable directory and also where it does not exist yet: an absent path counts as a file,
   * or as a directory if it ends in a slash.
   */
  readonly protected: ReadonlyArray<string>
  /** Reads as empty. */
  readonly hidden?: ReadonlyArray<string>
  readonly network: boolean
  /** The directory that the configuration was made for; readable, not by itself writable. */
  readonly cwd: string
}

export type SandboxTarget = "none" | "bubblewrap" | "sandbox-exec" | "container" | "ssh"

/** Why commands run where they run. */
export type SandboxReason = "configured" | "detected" | "unsupported-platform" | "not-installed" | "not-permitted"

export interface SandboxStatus {
  readonly target: SandboxTarget
  /** Whether the policy is enforced by something stronger than good will. */
  readonly isolated: boolean
  readonly reason: SandboxReason
  /** For a person: what is or is not enforced, and what to do about it. */
  readonly detail: string
}
