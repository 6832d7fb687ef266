import * as Option from "effect/Option"
import { load } from "../../command/load.ts"
import { command } from "./Command.ts"
import { printed } from "./commandLine.ts"

export const importing = command({
  name: "import",
  group: "session",
  summary: "store the conversation of a file as a session",
  arguments: "FILE",
  details:
    "FILE is an export, messages of OpenAI, or a transcript of Claude Code or Codex; nothing of it runs, and /resume goes on with it",
  duringTask: true,
  run: (file, prompt) =>
    file === ""
      ? prompt.say("usage: /import FILE", "error")
      : printed(
          prompt,
          load(
            () => import("../../Import.ts"),
            ({ importSession, isStandardInput }) =>
              isStandardInput(file)
                ? prompt.say("standard input is what you type at: name a file", "error")
                : importSession({ file, format: Option.none(), json: false })
          )
        )
})
