import * as Schema from "effect/Schema"
import { Rule, RuleLevel } from "../approval/Rule.ts"

/** A rule in the configuration; its level is `user` if unset. */
export const UserRule = Schema.Struct({
  ...Rule.fields,
  level: Schema.optionalWith(RuleLevel, { exact: true, default: () => "user" as const })
})
