import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { load } from "./load.ts"
import * as options from "./options.ts"

/** `tollgate tools` */
export const tools = Command.make(
  "tools",
  {
    manual: Options.boolean("manual").pipe(Options.withDescription("only those that you may run")),
    json: options.json
  },
  (given) =>
    load(
      () => import("../ToolsCommand.ts"),
      (module) => module.list(given)
    )
).pipe(Command.withDescription("List the tools: who may run each, and whether it asks"))
