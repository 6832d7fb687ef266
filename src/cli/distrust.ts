import * as CommandFiles from "../config/CommandFiles.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ProjectConfig } from "../host/ProjectConfig.ts"
import { makeVisible } from "../text/visible.ts"
import { Ui } from "../ui/Ui.ts"

/** Why the file of a project does not count, where it does not. */
export const distrust = ({ changed, file, trusted }: ProjectConfig): string | undefined =>
  Option.isNone(file) || trusted
    ? undefined
    : `${makeVisible(file.value.text === "" ? CommandFiles.below(file.value.file) : file.value.file)} ${changed ? "has changed since it was trusted" : "is not trusted"}: its hooks, rules and commands are ignored. tollgate trust shows them.`

/** Says so where the project brings something that does not count. */
export const warn = (config: ProjectConfig): Effect.Effect<void, never, Ui> => {
  const text = distrust(config)
  return text === undefined
    ? Effect.void
    : Effect.flatMap(Ui, (ui) => ui.display({ _tag: "Note", level: "warning", text }))
}
