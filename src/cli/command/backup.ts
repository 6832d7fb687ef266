import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import { argument } from "../Guard.ts"
import { load } from "./load.ts"

/** `tollgate backup` */
export const backup = Command.make(
  "backup",
  { file: argument("file", "where to; beside the database if left out").pipe(Args.optional) },
  (given) =>
    load(
      () => import("../Backup.ts"),
      (module) => module.backup(given)
    )
).pipe(Command.withDescription("Copies all sessions, rules, notes and the audit into one verified file"))
