import * as Effect from "effect/Effect"
import { Configuration } from "../config/Configuration.ts"
import { projectConfig } from "./ProjectConfig.ts"

/** The rules that are written down, those of a trusted project included. */
export const ruleOptions = Effect.gen(function* () {
  const { settings } = yield* Configuration
  const { settings: ofProject, trusted } = yield* projectConfig
  return { rules: [...(settings.approvals?.rules ?? []), ...(ofProject.approvals?.rules ?? [])], trusted }
})
