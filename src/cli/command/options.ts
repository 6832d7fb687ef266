import * as Args from "@effect/cli/Args"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Effect from "effect/Effect"
import { aliases, type ApprovalPolicy, ordinary } from "../../approval/ApprovalPolicy.ts"
import { argument } from "../Guard.ts"

/** The session that a command is about. */
export const id = argument("id", "the session id, or a unique prefix of it")

export const idOrLast = argument(
  "session",
  "the session id, or a unique prefix of it; default: the last of this project"
).pipe(Args.optional)

/** The model profile of a run. */
export const profile = Options.text("profile").pipe(
  Options.withAlias("p"),
  Options.withDescription("the model profile"),
  Options.optional
)
export const session = Options.text("session").pipe(
  Options.withAlias("s"),
  Options.withDescription("continue this session"),
  Options.optional
)
export const last = Options.boolean("continue").pipe(
  Options.withAlias("c"),
  Options.withDescription("continue the last session of this project")
)
const choices: ReadonlyArray<[string, ApprovalPolicy]> = [
  ...ordinary.map((mode): [string, ApprovalPolicy] => [mode, mode]),
  ...Object.entries(aliases)
]

/** Which calls run without a person. */
const mode = Options.choiceWithValue("mode", choices).pipe(
  Options.withDescription("which calls run without asking; default: ask in a terminal, else fail"),
  Options.optional
)
export const resume = Options.boolean("resume").pipe(
  Options.withAlias("r"),
  Options.withDescription("pick an earlier session of this project")
)
/** The earlier name of the mode. */
const approve = Options.choiceWithValue("approve", choices).pipe(
  Options.withDescription("the same as --mode"),
  Options.optional
)
/** How heavy a prompt is, for routing. */
export const weight = Options.text("weight").pipe(
  Options.withDescription("how heavy the prompt is; routing.weights names the profile that serves it"),
  Options.optional
)

/** How far a program in front may widen the mode. */
export const upTo = Options.choiceWithValue("mode-up-to", choices).pipe(
  Options.withDescription(
    "with --input-format jsonl: the widest mode that the program may set; default: that of the run"
  ),
  Options.optional
)
const allowAll = Options.boolean("dangerously-allow-all").pipe(
  Options.withDescription("run every call without asking (flag only, never configuration)")
)
/** What the gate lets through without a person. */
export const gate = { mode, approve, allowAll }

/** Parameters of a tool. */
export const parameters = argument("json", "the parameters as a JSON object").pipe(Args.optional)
export const param = Options.text("param").pipe(
  Options.withDescription("a parameter as key=value; repeatable"),
  Options.repeated
)
/** What programs read. */
export const json = Options.boolean("json").pipe(Options.withDescription("print one JSON document"))
export const jsonl = Options.boolean("jsonl").pipe(Options.withDescription("print JSON lines, one document each"))
/** The same of a task. */
export const result = Options.boolean("json").pipe(
  Options.withDescription("print the result as one JSON document at the end")
)
export const events = Options.boolean("jsonl").pipe(Options.withDescription("print the events as JSON lines"))

/** How a list is printed for programs. */
export const listing = { json, jsonl }
/** A whole number of at least `least`, and at most `most`. */
export const whole = (
  name: string,
  { least = 1, most = Infinity }: { readonly least?: number; readonly most?: number }
) =>
  Options.integer(name).pipe(
    Options.mapEffect((value) => {
      const bounds = most === Infinity ? `from ${least}` : `from ${least} to ${most}`
      return value >= least && value <= most
        ? Effect.succeed(value)
        : Effect.fail(ValidationError.invalidValue(HelpDoc.p(`--${name} takes a number ${bounds}, not ${value}`)))
    })
  )

/** Entries to show; `many` unless more are asked for. */
export const limit = (many: number, most: number) =>
  whole("limit", { most }).pipe(
    Options.withDescription(`how many at most, up to ${most}; default: ${many}`),
    Options.withDefault(many)
  )
export const since = Options.text("since").pipe(
  Options.withDescription("only since: 12h, 7d, 4w or 2026-11-22; default: all"),
  Options.optional
)

/** Changes are made at once. */
export const yes = Options.boolean("yes").pipe(Options.withDescription("do not ask for confirmation"))

/** How the terminal is used. */
export const screenReader = Options.boolean("screen-reader").pipe(
  Options.withDescription("plain lines and typed answers, no cursor movement")
)
