import type { RuleBook } from "../approval/RuleBook.ts"
import type { Describing } from "../approval/Subject.ts"
import type { HostPattern } from "../policy/network/HostPattern.ts"
import type { NetworkRules } from "../policy/network/NetworkRules.ts"
import type { PathContext } from "../policy/path/PathContext.ts"
import type { PreviewTarget } from "../tool/Preview.ts"

/** Directories of the agent itself, below the home directory, that its tools may use without being asked about. */
export interface OwnPlaces {
  readonly see: ReadonlyArray<string>
  readonly change: ReadonlyArray<string>
}

/** What calls are judged by in one place. */
export interface Standing {
  /** Where the agent's call runs; paths are judged from there. */
  readonly context: PathContext
  readonly book: RuleBook
  readonly subjects: Describing
  readonly network: NetworkRules
  readonly unasked: ReadonlyArray<HostPattern>
  /** Whether git ignores a path, so that what is deleted there can be made again. */
  readonly isIgnored: (path: string) => boolean
  /** Whether the files that a rule relies on are what they were. */
  readonly isUnchanged: (basis: ReadonlyArray<PreviewTarget>) => boolean
  readonly own: OwnPlaces
  /** A later call can type into the prompt that a command opens, and nobody judges that. */
  readonly typesUnseen: boolean
  /** Where the agent's shell looks for a directory that `cd` names, besides where it stands. */
  readonly cdPath: ReadonlyArray<string>
}
