import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { argument } from "../Guard.ts"
import { load } from "./load.ts"

const module = () => import("../Policy.ts")
const json = Options.boolean("json").pipe(Options.withDescription("prints one JSON object"))

const shell = Command.make("shell", { text: argument("text", "what bash would run"), json }, (given) =>
  load(module, ({ explainShell }) => explainShell(given))
).pipe(Command.withDescription("Says whether a shell text would run unasked here"))

const operation = Options.choice("op", ["read", "write", "remove", "list", "glob", "grep"]).pipe(
  Options.withDescription("what would be done with it; read unless it is given"),
  Options.withDefault("read" as const)
)

const path = Command.make(
  "path",
  { path: argument("path", "the path; for glob the pattern"), op: operation, json },
  (given) => load(module, ({ explainPath }) => explainPath(given))
).pipe(Command.withDescription("Says whether a tool could open a path from here"))

const url = Command.make("url", { url: argument("url", "the URL"), json }, (given) =>
  load(module, ({ explainUrl }) => explainUrl(given))
).pipe(Command.withDescription("Says whether a URL could be fetched; looks nothing up"))

const explain = Command.make("explain", {}, () =>
  load(module, ({ incomplete }) => incomplete("policy explain", ["shell", "path", "url"]))
).pipe(
  Command.withDescription("Says what a call would meet, by which rule of a policy or of yours, and why"),
  Command.withSubcommands([shell, path, url])
)

const test = Command.make(
  "test",
  {
    file: argument("file", "a JSON array of cases"),
    rules: Options.boolean("rules").pipe(
      Options.withDescription(
        "judges the calls that the cases stand for, by your own rules as well; else each by the policies alone"
      )
    )
  },
  (given) => load(module, ({ test }) => test(given))
).pipe(Command.withDescription("Judges the cases of a file and prints those that end otherwise than expected"))

/** `tollgate policy` */
export const policy = {
  command: Command.make("policy", {}, () =>
    load(module, ({ incomplete }) => incomplete("policy", ["explain", "test"]))
  ).pipe(
    Command.withDescription("Explains and tests what may run, be opened and be fetched"),
    Command.withSubcommands([explain, test])
  ),
  below: {
    explain: { command: explain, below: { shell: { command: shell }, path: { command: path }, url: { command: url } } },
    test: { command: test }
  }
}
