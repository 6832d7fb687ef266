import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Configuration } from "../config/Configuration.ts"
import { Surroundings } from "../host/Surroundings.ts"
import * as ToolServices from "../host/ToolServices.ts"
import { Workspace } from "../tools/Workspace.ts"
import { place } from "./here.ts"

/** What the tools of a session begun here would require. */
export const toolServices = Layer.unwrapScoped(
  Effect.gen(function* () {
    const { home, settings } = yield* Configuration
    const { env } = yield* Surroundings
    const { directory } = yield* place
    const sandbox = yield* ToolServices.sandboxOf(settings, directory, yield* ToolServices.detectedSandbox)
    const workspace = yield* Effect.provide(
      Workspace,
      Workspace.layer(ToolServices.workspaceOf({ directory, home, settings }))
    )
    return ToolServices.layer({ env, sandbox, settings, workspace })
  })
)
