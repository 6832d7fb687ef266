import * as Effect from "effect/Effect"
import { judge, judgeLexical } from "../../policy/path/PathPolicy.ts"
import type { PathContext } from "../../policy/path/PathContext.ts"
import type { Repository } from "./Repository.ts"

/** A path as git takes it, with none of its characters special. */
export const literal = (path: string): string => `:(top,literal)${path}`

export const without = (path: string): string => `:(top,exclude,literal)${path}`

/** A judged path relative to the top of the tree. */
export const inTree = Effect.fnUntraced(function* (path: string, { top }: Repository, context: PathContext) {
  const { path: physical } = yield* judge(path, "grep", context)
  return physical === top ? "" : physical.startsWith(`${top}/`) ? physical.slice(top.length + 1) : physical
})

/** Whether a file of the tree may be shown without asking. */
export const mayShow = (relative: string, { top }: Repository, context: PathContext): boolean =>
  judgeLexical(`${top}/${relative}`, "read", context).decision === "allow"
