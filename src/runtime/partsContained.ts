import * as Effect from "effect/Effect"
import { MemoryFailed } from "../memory/MemoryError.ts"
import type { ProjectMemory } from "../memory/ProjectMemory.ts"
import { catchOwnCrash } from "../middleware/endOf.ts"
import type { Brief, Briefing } from "./Briefing.ts"

/** What comes with the tools of a project. */
interface Parts {
  readonly branch?: Effect.Effect<string | undefined>
  readonly brief?: Brief
  readonly memory?: ProjectMemory
}

/** What comes in place of what code of a project that has crashed would give; the log says why. */
const instead = <A, E>(what: string, ask: () => Effect.Effect<A, E>, other: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  catchOwnCrash(Effect.suspend(ask), (cause) =>
    Effect.zipRight(Effect.logError(`The code that ${what} crashed`, cause), other)
  )

/** Nothing is known of the place then, and the person is told. */
const unbriefed: Briefing = {
  sections: [],
  files: [],
  problems: ["What the model is told of this project is left out: the code that makes it crashed. See the log."]
}

const briefContained =
  (brief: Brief): Brief =>
  (policy) =>
    instead("briefs the model", () => brief(policy), Effect.succeed(unbriefed))

const memoryContained = (memory: ProjectMemory): ProjectMemory => {
  const failed = new MemoryFailed({ reason: "its code crashed. See the log." })
  return {
    asksModel: memory.asksModel,
    recall: (...of) => instead("recalls", () => memory.recall(...of), failed),
    learn: (...of) => instead("remembers", () => memory.learn(...of), failed),
    keep: (...of) => instead("remembers", () => memory.keep(...of), failed)
  }
}

/** The same tools, where a crash of what comes with them ends neither a task nor a session. */
export const partsContained = <Project extends Parts>(project: Project): Project => {
  const { branch, brief, memory } = project
  return {
    ...project,
    ...(branch !== undefined && { branch: instead("looks up the branch", () => branch, Effect.succeed(undefined)) }),
    ...(brief !== undefined && { brief: briefContained(brief) }),
    ...(memory !== undefined && { memory: memoryContained(memory) })
  }
}
