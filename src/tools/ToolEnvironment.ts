// @effect-diagnostics processEnv:off - reads the parent's environment, of which children get what they need by name
import * as Context from "effect/Context"
import { environment } from "../process/Environment.ts"

/** The environment of every program that a tool starts; secrets that one needs are added here by configuration. */
export class ToolEnvironment extends Context.Reference<ToolEnvironment>()("tollgate/tools/ToolEnvironment", {
  defaultValue: (): Readonly<Record<string, string>> => environment(process.env)
}) {}
