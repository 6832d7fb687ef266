import * as Command from "@effect/cli/Command"
import { load } from "./load.ts"

/** `tollgate tour` */
export const tour = Command.make("tour", {}, () =>
  load(
    () => import("../Tour.ts"),
    (module) => module.tour
  )
).pipe(Command.withDescription("Shows what Tollgate does, offline, on a throw-away workspace"))
