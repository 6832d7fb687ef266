import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { argument } from "../Guard.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

const formats = ["json", "jsonl", "markdown", "html"] as const

/** `tollgate import` */
export const importing = Command.make(
  "import",
  {
    file: argument("file", "an exported session, or a transcript of another agent; - for standard input"),
    format: Options.choice("format", formats).pipe(
      Options.withDescription("read the file as this format; default: detect it"),
      Options.optional
    ),
    json: options.json
  },
  (given) =>
    load(
      () => import("../Import.ts"),
      (module) => module.importSession(given)
    )
).pipe(Command.withDescription("Store a conversation from a file as a session; nothing of it runs"))
