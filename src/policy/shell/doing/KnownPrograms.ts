import { selfContained } from "../programSettings.ts"
import { shells, wrapperNames } from "../Wrappers.ts"
import { launched } from "./Launchers.ts"
import { ordinaryCommands } from "./OrdinaryCommands.ts"
import { interpreterOf, projectPrograms } from "./ProjectPrograms.ts"
import { shellBuiltin } from "./Builtins.ts"

const parts = new Set("cd eval git find test [ tar set unset export shopt read mapfile readarray".split(" "))

/** Whether a name is that of a program, or of a part of the shell, that is judged by what it is known to do. */
export const isKnownProgram = (name: string): boolean =>
  parts.has(name) ||
  selfContained.has(name) ||
  projectPrograms.has(name) ||
  Object.hasOwn(ordinaryCommands, name) ||
  shells.has(name) ||
  wrapperNames.has(name) ||
  interpreterOf(name) !== undefined ||
  launched(name, []) !== undefined ||
  shellBuiltin(name, []) !== undefined
