import * as Option from "effect/Option"
import type { ProjectConfig } from "../host/ProjectConfig.ts"
import { visibleLine } from "../text/visible.ts"

/** What an editor names with a session. */
export interface Named {
  readonly additionalDirectories?: ReadonlyArray<string> | undefined
}

/** What an editor names that is not used, in words. */
export const unused = ({ additionalDirectories = [] }: Named): ReadonlyArray<string> =>
  additionalDirectories.length === 0
    ? []
    : ["Additional directories are not used. Add them to the setting roots to have tools work there."]

/** That what a project brings does not count, where the user has not accepted it. */
export const distrusted = ({ changed, file, trusted }: ProjectConfig): ReadonlyArray<string> =>
  Option.isNone(file) || trusted
    ? []
    : [
        `${visibleLine(file.value.file)} ${changed ? "has changed since it was trusted" : "is not trusted"}: the hooks, rules and commands of this project are ignored. To see and trust them, run: tollgate trust`
      ]
