import * as Option from "effect/Option"
import { load } from "../../command/load.ts"
import { command } from "./Command.ts"
import { printed } from "./commandLine.ts"

export const search = command({
  name: "search",
  group: "session",
  summary: "find messages of this project's sessions",
  arguments: "WORDS",
  details: "tollgate search has more: --session, --role, --tool, --since and other projects",
  duringTask: true,
  run: (words, prompt) =>
    words === ""
      ? prompt.say("usage: /search WORDS", "error")
      : printed(
          prompt,
          load(
            () => import("../../SearchCommand.ts"),
            ({ searched }) =>
              searched({
                query: words,
                session: Option.none(),
                project: true,
                roles: [],
                tool: Option.none(),
                since: Option.none(),
                by: Option.none(),
                limit: 5,
                json: false
              })
          )
        )
})
