import * as Command from "@effect/cli/Command"
import { load } from "./load.ts"
import * as options from "./options.ts"

/** `tollgate configure` */
export const configure = Command.make("configure", { screenReader: options.screenReader }, (given) =>
  load(
    () => import("../start/SetUpCommand.ts"),
    (module) => module.configure(given)
  )
).pipe(Command.withDescription("Set up a model with three questions and a test request"))
