import * as Effect from "effect/Effect"
import type { ProjectTools } from "../runtime/Projects.ts"
import { UsageError } from "./Outcome.ts"

/** Fails where no sandbox holds the commands of a project, so that the mode `sandboxed` would hold nothing. */
export const refuseUnconfined = ({ rules }: Pick<ProjectTools, "rules">): Effect.Effect<void, UsageError> =>
  Effect.flatMap(rules?.unconfined ?? Effect.succeed(undefined), (reason) =>
    reason === undefined ? Effect.void : new UsageError({ reason })
  )
