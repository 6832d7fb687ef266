import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { logCrash } from "../redaction/logCrash.ts"
import { MemoryFailed } from "../memory/MemoryError.ts"
import { MemoryKind, MemoryScope } from "../memory/MemoryEntry.ts"
import type { ProjectMemory } from "../memory/ProjectMemory.ts"
import { effectFrom } from "../middleware/effectOf.ts"
import { catchOwnCrash } from "../middleware/endOf.ts"
import { type BackgroundCommands, BackgroundRefused } from "../process/BackgroundCommands.ts"
import { lazy } from "../system/lazy.ts"
import type { Brief, Briefing } from "./Briefing.ts"
import { Closing, patience } from "./Closing.ts"
import { InstructionFile } from "./RuntimeEvent.ts"

type Background = Pick<BackgroundCommands["Type"], "detach" | "open">

/** What comes with the tools of a project. */
interface Parts {
  readonly branch?: Effect.Effect<string | undefined>
  readonly brief?: Brief
  readonly memory?: ProjectMemory
}

/** What is read of an answer; the compiler has not seen the code of every project. */
const isProper = lazy(() => {
  const entry = { id: Schema.Number, kind: MemoryKind, scope: MemoryScope, text: Schema.String }
  return {
    branch: Schema.is(Schema.UndefinedOr(Schema.String)),
    briefing: Schema.is(
      Schema.Struct({
        sections: Schema.Array(
          Schema.Struct({ name: Schema.String, text: Schema.String, key: Schema.optional(Schema.String) })
        ),
        files: Schema.Array(InstructionFile),
        problems: Schema.Array(Schema.String)
      })
    ),
    recalled: Schema.is(Schema.Array(Schema.Struct({ ...entry, score: Schema.Number, createdAt: Schema.Number }))),
    kept: Schema.is(Schema.Array(Schema.Struct(entry)))
  }
})

/**
 * What comes in place of what code of a project would give that has crashed, gives what its type does not allow, or does not answer
 * while the runtime closes; the log says which.
 */
const instead = <A, E>(
  what: string,
  ask: () => Effect.Effect<A, E>,
  other: Effect.Effect<A, E>,
  isAnswer: (given: unknown) => boolean = () => true
): Effect.Effect<A, E> => {
  const without = (how: string) => Effect.zipRight(Effect.logError(`The code that ${what} ${how}`), other)
  return Effect.flatMap(Closing, ({ bounded }) =>
    bounded(
      Effect.flatMap(
        catchOwnCrash(
          Effect.map(effectFrom("it", ask), (given) => ({ given })),
          (cause) => Effect.as(logCrash(`The code that ${what} crashed`, cause), undefined)
        ),
        (answer) =>
          answer === undefined
            ? other
            : isAnswer(answer.given)
              ? Effect.succeed(answer.given)
              : without("gave what its type does not allow")
      ),
      without(`did not answer within ${Duration.format(patience)} while the runtime closed`)
    )
  )
}

/** Nothing is known of the place then, and the person is told. */
const unbriefed: Briefing = {
  sections: [],
  files: [],
  problems: ["What the model is told of this project is left out: the code that makes it failed. See the log."]
}

const briefContained =
  (brief: Brief): Brief =>
  (policy) =>
    instead("briefs the model", () => brief(policy), Effect.succeed(unbriefed), isProper().briefing)

const memoryContained = (memory: ProjectMemory): ProjectMemory => {
  const failed = new MemoryFailed({ reason: "its code failed. See the log." })
  const { kept, recalled } = isProper()
  return {
    asksModel: memory.asksModel,
    recall: (...of) => instead("recalls", () => memory.recall(...of), failed, recalled),
    learn: (...of) => instead("remembers", () => memory.learn(...of), failed, kept),
    keep: (...of) => instead("remembers", () => memory.keep(...of), failed, kept)
  }
}

/** The same of where commands go on after their calls, as far as a session itself asks it. */
export const backgroundContained = (commands: Background): Background => {
  const ends = "ends background commands"
  return {
    open: (...of) =>
      Effect.map(
        instead("opens background commands", () => commands.open(...of), Effect.succeed(Effect.void), Effect.isEffect),
        (end) => instead(ends, () => end, Effect.void)
      ),
    detach: (...of) =>
      instead(
        "moves commands to the background",
        () => commands.detach(...of),
        new BackgroundRefused({ reason: "The code that moves commands to the background failed. See the log." })
      )
  }
}

/** The same tools, where what comes with them ends neither a task nor a session, nor keeps a runtime from its end. */
export const partsContained = <Project extends Parts>(project: Project): Project => {
  const { branch, brief, memory } = project
  return {
    ...project,
    ...(branch !== undefined && {
      branch: instead("looks up the branch", () => branch, Effect.succeed(undefined), isProper().branch)
    }),
    ...(brief !== undefined && { brief: briefContained(brief) }),
    ...(memory !== undefined && { memory: memoryContained(memory) })
  }
}
