import * as CommandFiles from "../config/CommandFiles.ts"
import * as ProjectFile from "../config/ProjectFile.ts"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { ProjectConfig } from "../host/ProjectConfig.ts"
import { makeVisible } from "../text/visible.ts"
import { Ui } from "../ui/Ui.ts"

/** The file or the directory that the user would look at. */
const placeOf = ({ commands, file, project, settings, text }: ProjectFile.ProjectFile): string =>
  text !== "" || Either.isLeft(settings)
    ? file
    : commands.digest === undefined
      ? ProjectFile.serversFileOf(project)
      : CommandFiles.below(file)

/** Why the file of a project does not count, where it does not. */
export const distrust = ({ changed, file, trusted }: ProjectConfig): string | undefined =>
  Option.isNone(file) || trusted
    ? undefined
    : `${makeVisible(placeOf(file.value))} ${changed ? "has changed since it was trusted" : "is not trusted"}: its hooks, rules, commands and MCP servers are ignored. tollgate trust shows them.`

/** Says so where the project brings something that does not count. */
export const warn = (config: ProjectConfig): Effect.Effect<void, never, Ui> => {
  const text = distrust(config)
  return text === undefined
    ? Effect.void
    : Effect.flatMap(Ui, (ui) => ui.display({ _tag: "Note", level: "warning", text }))
}
