import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { load } from "./load.ts"
import * as options from "./options.ts"

/** `tollgate serve` */
export const serve = Command.make(
  "serve",
  {
    listen: Options.text("listen").pipe(
      Options.withDescription("the address to listen on; default: 127.0.0.1:4747, this machine only"),
      Options.optional
    ),
    names: Options.text("host").pipe(
      Options.withDescription("a host name that browsers may use; repeatable"),
      Options.repeated
    ),
    open: Options.boolean("open").pipe(Options.withDescription("open it in your browser, logged in")),
    profile: options.profile,
    ...options.gate
  },
  (given) =>
    load(
      () => import("../Serve.ts"),
      (module) => module.serve(given)
    )
).pipe(Command.withDescription("Serve sessions and approvals over HTTP, to programs and to your browser"))
