import * as Command from "@effect/cli/Command"
import { load } from "./load.ts"
import * as options from "./options.ts"

/** `tollgate configure` */
export const configure = Command.make("configure", { screenReader: options.screenReader }, (given) =>
  load(
    () => import("../start/SetUpCommand.ts"),
    (module) => module.configure(given)
  )
).pipe(Command.withDescription("Set a model up by three questions and one request as the test"))
