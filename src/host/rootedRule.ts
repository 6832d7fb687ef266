import * as Either from "effect/Either"
import * as path from "node:path"
import { pathTest, type Rule } from "../approval/Rule.ts"
import type { Place } from "../runtime/Projects.ts"

/** A written rule as it counts in a place: its path starts at the project, also where the tools work below that. */
export const rooted =
  ({ directory, project }: Place) =>
  (rule: Rule): Rule =>
    directory === project ||
    rule.path === undefined ||
    rule.path.startsWith("/") ||
    Either.isLeft(pathTest(rule.path, project))
      ? rule
      : { ...rule, path: path.posix.join(project, rule.path) }
