import * as Command from "@effect/cli/Command"
import { load } from "./load.ts"

/** `tollgate tour` */
export const tour = Command.make("tour", {}, () =>
  load(
    () => import("../Tour.ts"),
    (module) => module.tour
  )
).pipe(Command.withDescription("Show what Tollgate does, offline, in a temporary workspace"))
