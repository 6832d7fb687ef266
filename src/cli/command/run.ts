import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { argument } from "../Guard.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

/** `tollgate run` */
export const run = Command.make(
  "run",
  {
    prompt: argument("prompt", "what to do; piped standard input is appended after a blank line").pipe(Args.repeated),
    profile: options.profile,
    session: options.session,
    last: options.last,
    ...options.gate,
    screenReader: options.screenReader,
    json: options.result,
    jsonl: options.events,
    inputFormat: Options.choice("input-format", ["text", "jsonl"]).pipe(
      Options.withDescription("jsonl: read commands from standard input, one JSON object per line; default: text"),
      Options.withDefault("text" as const)
    ),
    upTo: options.upTo,
    weight: options.weight,
    image: Options.text("image").pipe(
      Options.withDescription("show the model an image: PNG, JPEG, GIF or WebP; may be repeated"),
      Options.withPseudoName("file"),
      Options.repeated
    ),
    outputFormat: Options.choice("output-format", ["text", "json", "jsonl"]).pipe(
      Options.withDescription("json and jsonl are the same as --json and --jsonl; default: text"),
      Options.optional
    )
  },
  (given) =>
    load(
      () => import("../Run.ts"),
      (module) => module.run(given)
    )
).pipe(Command.withDescription("Run one prompt to its end, or the commands of a program in front"))
