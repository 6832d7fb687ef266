import * as Command from "@effect/cli/Command"
import { argument } from "../Guard.ts"
import { load } from "./load.ts"

/** `tollgate replay` */
export const replay = Command.make(
  "replay",
  { file: argument("file", "a recorded JSONL file; - for standard input") },
  ({ file }) =>
    load(
      () => import("../Replay.ts"),
      (module) => module.replay(file)
    )
).pipe(Command.withDescription("Show recorded events as they looked live"))
