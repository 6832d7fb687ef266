import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Tools } from "../agent/Tools.ts"
import { Approvals } from "../approval/Approvals.ts"
import * as Checkpoints from "../checkpoint/Checkpoints.ts"
import { Configuration } from "../config/Configuration.ts"
import * as Toolset from "../gate/Toolset.ts"
import { Models } from "../model/Models.ts"
import { Projects, ProjectUnavailable } from "../runtime/Projects.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { make as makeRewinding } from "../tools/files/rewinding.ts"
import { Workspace } from "../tools/Workspace.ts"
import { locate, revisit } from "./locate.ts"
import * as sessionFiles from "./sessionFiles.ts"
import * as Stores from "./Stores.ts"
import { workspaceOf } from "./ToolServices.ts"

/** Projects without tools, whose files can be brought back. */
const projects = Layer.effect(
  Projects,
  Effect.gen(function* () {
    const { home, settings } = yield* Configuration
    const tools = yield* Tools
    const checkpoints = Checkpoints.make({ directory: home.checkpoints })
    return {
      locate,
      get: (place) =>
        Effect.gen(function* () {
          const { directory } = yield* revisit(place)
          const workspace = yield* Effect.provide(
            Workspace,
            Workspace.layer(workspaceOf({ directory, home, settings }))
          ).pipe(
            Effect.mapError(({ _tag, message }) => new ProjectUnavailable({ directory, reason: message, error: _tag }))
          )
          return { ...place, tools, checkpoints: makeRewinding(workspace, checkpoints) }
        })
    }
  })
)

/** A runtime that names, copies, rewinds and deletes the sessions of the user, and runs nothing. */
export const managing = Runtime.layerProjects.pipe(
  Layer.provide(projects),
  Layer.provide([Models.layerOf({}), Tools.layerEffect(Toolset.make([]))]),
  Layer.provide(Approvals.layer({ policy: "fail", attended: false })),
  Layer.provideMerge(Layer.mergeAll(Stores.sessions, Stores.database, sessionFiles.layer))
)
