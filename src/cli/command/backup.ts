import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import { argument } from "../Guard.ts"
import { load } from "./load.ts"
import { json } from "./options.ts"

/** `tollgate backup` */
export const backup = Command.make(
  "backup",
  { file: argument("file", "the target file; default: beside the database").pipe(Args.optional), json },
  (given) =>
    load(
      () => import("../Backup.ts"),
      (module) => module.backup(given)
    )
).pipe(Command.withDescription("Copy sessions, rules, notes and the audit into one verified file"))
