import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { load } from "./load.ts"
import * as options from "./options.ts"

const formats = ["json", "markdown", "html"] as const

/** `tollgate export` */
export const exporting = Command.make(
  "export",
  {
    session: options.idOrLast,
    format: Options.choice("format", formats).pipe(
      Options.withDescription("json keeps everything; default: by the name of the file, else json"),
      Options.optional
    ),
    output: Options.text("output").pipe(
      Options.withAlias("o"),
      Options.withDescription("the file to write; default: standard output"),
      Options.optional
    ),
    force: Options.boolean("force").pipe(Options.withDescription("overwrite the file")),
    withoutSystem: Options.boolean("without-system").pipe(Options.withDescription("leave out system messages")),
    withoutCalls: Options.boolean("without-calls").pipe(Options.withDescription("leave out tool calls and results")),
    withoutMetadata: Options.boolean("without-metadata").pipe(
      Options.withDescription("leave out times, places, usage and events")
    )
  },
  (given) =>
    load(
      () => import("../Export.ts"),
      (module) => module.exportSession(given)
    )
).pipe(Command.withDescription("Write a session as JSON, Markdown or HTML"))
