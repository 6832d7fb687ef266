import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import { argument } from "../Guard.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

/** `tollgate run` */
export const run = Command.make(
  "run",
  {
    prompt: argument("prompt", "what to do; piped standard input is appended after a blank line").pipe(Args.repeated),
    profile: options.profile,
    session: options.session,
    last: options.last,
    mode: options.mode,
    approve: options.approve,
    allowAll: options.allowAll,
    json: options.events
  },
  (given) =>
    load(
      () => import("../Run.ts"),
      (module) => module.run(given)
    )
).pipe(Command.withDescription("Run one prompt to its end"))
