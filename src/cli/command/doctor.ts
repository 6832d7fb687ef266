import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { load } from "./load.ts"
import * as options from "./options.ts"

/** `tollgate doctor` */
export const doctor = Command.make(
  "doctor",
  {
    stack: Options.boolean("stack").pipe(Options.withDescription("print the middleware in front of every tool")),
    json: options.json,
    offline: Options.boolean("offline").pipe(Options.withDescription("send nothing to any model"))
  },
  (given) =>
    load(
      () => import("../Doctor.ts"),
      (module) => module.doctor(given)
    )
).pipe(
  Command.withDescription(
    "Check configuration, storage and sandbox, ask each model once, and say how to fix what fails"
  )
)
