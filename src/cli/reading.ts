import * as Layer from "effect/Layer"
import { Tools } from "../agent/Tools.ts"
import { Approvals } from "../approval/Approvals.ts"
import * as Toolset from "../gate/Toolset.ts"
import * as Stores from "../host/Stores.ts"
import { Models } from "../model/Models.ts"
import { Runtime } from "../runtime/Runtime.ts"

/** A runtime that reads the sessions of the user and runs nothing. */
export const reading = Runtime.layer.pipe(
  Layer.provide([Models.layerOf({}), Tools.layerEffect(Toolset.make([]))]),
  Layer.provide(Approvals.layer({ policy: "fail", attended: false })),
  Layer.provideMerge(Stores.sessions)
)
