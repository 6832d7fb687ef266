import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { argument } from "../Guard.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

/** `tollgate search` */
export const search = Command.make(
  "search",
  {
    query: argument("words", "what to look for, in any words"),
    session: Options.text("session").pipe(
      Options.withAlias("s"),
      Options.withDescription("only this session"),
      Options.optional
    ),
    project: Options.boolean("project").pipe(Options.withDescription("only sessions of this project")),
    roles: Options.choice("role", ["user", "assistant", "tool", "system"] as const).pipe(
      Options.withDescription("only messages of this role; repeatable"),
      Options.repeated
    ),
    tool: Options.text("tool").pipe(Options.withDescription("only results of this tool"), Options.optional),
    since: options.since,
    by: Options.choice("by", ["text", "meaning"] as const).pipe(
      Options.withDescription("only by words or by what is meant; default: both"),
      Options.optional
    ),
    limit: options.limit(10, 100),
    json: options.json
  },
  (given) =>
    load(
      () => import("../SearchCommand.ts"),
      (module) => module.search(given)
    )
).pipe(Command.withDescription("Find messages of earlier sessions"))
