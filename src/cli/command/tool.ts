import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { argument } from "../Guard.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

/** `tollgate tool` */
export const tool = Command.make(
  "tool",
  {
    name: argument("name", "the tool; if omitted, the tools you may run are listed").pipe(Args.optional),
    parameters: options.parameters,
    param: options.param,
    interactive: Options.boolean("interactive").pipe(
      Options.withAlias("i"),
      Options.withDescription("ask for each parameter; needs a terminal")
    ),
    session: options.session,
    last: options.last,
    ...options.gate,
    screenReader: options.screenReader,
    json: options.result,
    jsonl: options.events
  },
  (given) =>
    load(
      () => import("../ToolCommand.ts"),
      (module) => module.tool(given)
    )
).pipe(Command.withDescription("Run a tool yourself, behind the same gate, without a model"))
