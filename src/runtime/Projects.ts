import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { logCrash } from "../redaction/logCrash.ts"
import type { SealClient } from "../agent/ClientFunctions.ts"
import type { NamedWorkers } from "../agent/NamedWorker.ts"
import { Tools } from "../agent/Tools.ts"
import type { ProjectRules } from "../approval/ProjectRules.ts"
import type { Rewinding } from "../checkpoint/Rewinding.ts"
import { effectFrom } from "../middleware/effectOf.ts"
import { catchOwnCrash } from "../middleware/endOf.ts"
import type { BackgroundCommands } from "../process/BackgroundCommands.ts"
import { lazy } from "../system/lazy.ts"
import type { ProjectMemory } from "../memory/ProjectMemory.ts"
import type { Brief } from "./Briefing.ts"
import { Closing, patience } from "./Closing.ts"
import { letGo } from "./letGo.ts"
import { partsContained } from "./partsContained.ts"

/** The directory of a session is gone; nothing of it runs. */
export class ProjectGone extends Schema.TaggedError<ProjectGone>()("ProjectGone", {
  directory: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.directory} cannot be worked in: ${this.reason}. No tool was run. Restore the directory, or start a session in another one.`
  }
}

/** A project could not be made ready; `error` is the tag of the error behind it. */
export class ProjectUnavailable extends Schema.TaggedError<ProjectUnavailable>()("ProjectUnavailable", {
  directory: Schema.String,
  reason: Schema.String,
  error: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

export type ProjectError = ProjectGone | ProjectUnavailable

/** Where a session works. */
export interface Place {
  /** What sessions are listed by, and what trust and saved rules belong to. */
  readonly project: string
  /** Where tools work and relative paths begin: the project or a directory in it. */
  readonly directory: string
}

/** What a project gives its sessions. */
export interface ProjectTools extends Place {
  /** Sealed; a task keeps those that there were when it began. */
  readonly tools: Tools["Type"]
  /** Seals functions that a frontend declares, behind the stack of these tools; behind the gate alone if unset. */
  readonly sealClient?: SealClient
  /** Those of the runtime's options if unset. */
  readonly workers?: NamedWorkers
  /** What is decided on calls beforehand, and where their paths begin; as the layer of `Approvals` has it if unset. */
  readonly rules?: ProjectRules
  /** Where commands go on after their calls; each session ends its own. */
  readonly background?: BackgroundCommands["Type"]
  /** The branch that is checked out now; nothing if unset. */
  readonly branch?: Effect.Effect<string | undefined>
  /** What models are told of where they work; nothing if unset. */
  readonly brief?: Brief
  /** Brings files back that its tools have changed; nothing can if unset. */
  readonly checkpoints?: Rewinding
  /** What is recalled and kept without a tool; nothing if unset. */
  readonly memory?: ProjectMemory
}

/** Where sessions get their tools, rules and paths from, independent of the working directory. */
export class Projects extends Context.Tag("tollgate/runtime/Projects")<
  Projects,
  {
    /** The place that a directory is; two names of one directory are one place. */
    readonly locate: (directory: string) => Effect.Effect<Place, ProjectError>
    /** Made once for all who hold it at a time, and let go of with the scope. */
    readonly get: (place: Place) => Effect.Effect<ProjectTools, ProjectError, Scope.Scope>
  }
>() {
  /** The same toolset for every session; directories are names and nothing more. */
  static readonly layerOne: Layer.Layer<Projects, never, Tools> = Layer.effect(
    Projects,
    Effect.map(Tools, (tools) => ({
      locate: (directory) => Effect.succeed({ project: directory, directory }),
      get: (place) => Effect.succeed({ ...place, tools })
    }))
  )
}

const late = `within ${Duration.format(patience)} while the runtime closed`

/** What is read of an answer; the compiler has not seen all code that opens projects. */
const isProper = lazy(() => {
  const place = { project: Schema.String, directory: Schema.String }
  const all = (names: ReadonlyArray<string>) =>
    Schema.Unknown.pipe(Schema.filter((given) => names.every((name) => Predicate.hasProperty(given, name))))
  return {
    place: Schema.is(Schema.Struct(place)),
    tools: Schema.is(
      Schema.Struct({
        ...place,
        tools: all(["tools", "call", "functions"]),
        rules: Schema.UndefinedOr(all(["subjects", "peek", "get", "reload"])).pipe(Schema.optional)
      })
    )
  }
})

/** A project whose code crashed, gave none, or did not answer at the end of its runtime, is unavailable; the log says why. */
const settled = <A, R>(
  directory: string,
  ask: () => Effect.Effect<A, ProjectError, R>,
  isAnswer: (given: unknown) => boolean
): Effect.Effect<A, ProjectError, R> => {
  const unavailable = (error: string, what: string) =>
    new ProjectUnavailable({
      directory,
      error,
      reason: `${directory} could not be made ready: the code that opens projects ${what}.`
    })
  return Effect.flatMap(Closing, ({ bounded }) =>
    bounded(
      Effect.filterOrFail(
        catchOwnCrash(effectFrom("it", ask), (cause) =>
          Effect.zipRight(
            logCrash(`The code that opens projects crashed at ${directory}`, cause),
            unavailable("Crashed", "crashed. See the log")
          )
        ),
        (given) => isAnswer(given),
        () => unavailable("WrongAnswer", "gave what its type does not allow")
      ),
      Effect.zipRight(
        Effect.logError(`The code that opens projects did not answer at ${directory} ${late}`),
        unavailable("NoAnswer", `did not answer ${late}`)
      )
    )
  )
}

/** The same projects, which neither crash nor keep a runtime from its end. */
export const contained = (projects: Projects["Type"]): Projects["Type"] => ({
  locate: (directory) => settled(directory, () => projects.locate(directory), isProper().place),
  get: (place) =>
    Effect.flatMap(letGo("The code that opens projects", place.directory), (own) =>
      Effect.map(
        settled(place.directory, () => Scope.extend(projects.get(place), own), isProper().tools),
        partsContained
      )
    )
})
