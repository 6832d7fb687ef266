import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { argument } from "../Guard.ts"
import { operations } from "../../policy/path/PathOp.ts"
import { bareGroup } from "./group.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

const module = () => import("../Policy.ts")
const { json } = options

const shell = Command.make("shell", { text: argument("text", "the text bash would run"), json }, (given) =>
  load(module, ({ explainShell }) => explainShell(given))
).pipe(Command.withDescription("Explain whether a shell command would run without asking"))

const operation = Options.choice("op", operations).pipe(
  Options.withDescription("what is done with it; default: read"),
  Options.withDefault("read" as const)
)

const path = Command.make(
  "path",
  { path: argument("path", "the path, or the pattern for glob"), op: operation, json },
  (given) => load(module, ({ explainPath }) => explainPath(given))
).pipe(Command.withDescription("Explain whether a tool could open a path from here"))

const url = Command.make("url", { url: argument("url", "the URL"), json }, (given) =>
  load(module, ({ explainUrl }) => explainUrl(given))
).pipe(Command.withDescription("Explain whether a URL could be fetched, without connecting"))

const explain = bareGroup("policy explain", "Explain how policies and rules judge a call", [shell, path, url])

const test = Command.make(
  "test",
  {
    file: argument("file", "cases as a JSON array or as JSON Lines: id, input, expected, accept"),
    rules: Options.boolean("rules").pipe(Options.withDescription("apply your own rules too, not the policies alone")),
    json
  },
  (given) => load(module, ({ test }) => test(given))
).pipe(Command.withDescription("Check the shell, path and URL cases in a file and print the failures"))

const replay = Command.make(
  "replay",
  {
    files: argument("file", "transcripts of Claude Code or Codex; default: the log and their usual folders").pipe(
      Args.repeated
    ),
    since: options.since,
    agent: Options.choice("agent", ["tollgate", "claude", "codex"]).pipe(
      Options.withDescription("only calls of this agent; default: all"),
      Options.optional
    ),
    rules: Options.text("rules").pipe(
      Options.withDescription("a JSON file with rules to add to yours"),
      Options.optional
    ),
    json
  },
  (given) =>
    load(
      () => import("../PolicyReplay.ts"),
      (module) => module.replay(given)
    )
).pipe(
  Command.withDescription(
    "Replay past calls, also of other agents, against the rules of today and show what would change"
  )
)

/** `tollgate policy` */
export const policy = bareGroup("policy", "Explain and test what may run, be opened and be fetched", [
  explain,
  test,
  replay
])
