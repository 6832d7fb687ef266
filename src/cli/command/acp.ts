import * as Command from "@effect/cli/Command"
import { load } from "./load.ts"
import * as options from "./options.ts"

/** `tollgate acp` */
export const acp = Command.make("acp", { profile: options.profile, ...options.gate }, (given) =>
  load(
    () => import("../AcpCommand.ts"),
    (module) => module.acp(given)
  )
).pipe(Command.withDescription("Serve an editor over standard input and output, by the Agent Client Protocol"))
