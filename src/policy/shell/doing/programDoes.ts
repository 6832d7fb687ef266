import type { Literal } from "../Literal.ts"
import { readOnlyCommands } from "../ReadOnlyCommands.ts"
import { shellBuiltin, testDoes } from "./Builtins.ts"
import { findDoes } from "./Find.ts"
import { gitDoes } from "./Git.ts"
import { listedDoes } from "./Listed.ts"
import { ordinaryCommands } from "./OrdinaryCommands.ts"
import { projectDoes } from "./Project.ts"
import { isUnread, type Step, unread, type Unread } from "./Step.ts"
import { tarDoes } from "./Tar.ts"

/** What a program does by its name and arguments, as far as that is known. */
export const programDoes = (name: string, args: ReadonlyArray<Literal>): Step | Unread => {
  if (name === "test" || name === "[") return testDoes(name, args)
  if (name === "find") return findDoes(args)
  if (name === "git") return gitDoes(args)
  if (name === "tar") return tarDoes(args)
  const builtin = shellBuiltin(name, args)
  if (builtin !== undefined) return builtin
  const listed = Object.hasOwn(readOnlyCommands, name) ? listedDoes(name, readOnlyCommands[name]!, args) : undefined
  if (listed !== undefined && !isUnread(listed)) return listed
  const ordinary = Object.hasOwn(ordinaryCommands, name) ? listedDoes(name, ordinaryCommands[name]!, args) : undefined
  if (ordinary !== undefined && !isUnread(ordinary)) return ordinary
  return projectDoes(name, args) ?? ordinary ?? listed ?? unread(name, "it is not known what it does")
}
