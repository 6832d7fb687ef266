import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ModelRequest } from "../model/Model.ts"
import { type Environment, openProfile } from "../model/OpenProfile.ts"
import { duration } from "../text/duration.ts"
import { modelAdvice, type RemoteProfile } from "./modelAdvice.ts"
import { adviceOn } from "./terminal/advice.ts"

/** A model did not answer. */
export class ModelUnready extends Schema.TaggedError<ModelUnready>()("ModelUnready", {
  reason: Schema.String,
  /** The commands any one of which mends it. */
  mend: Schema.Array(Schema.String),
  /** What the person could change. */
  about: Schema.Literal("key", "server", "model", "other")
}) {
  override get message() {
    return this.reason
  }
}

/** How long a model has to begin its answer. */
const patience = Duration.seconds(20)

/** The one short question that is sent, without tools. */
const question: ModelRequest = {
  messages: [{ id: "ready", message: { role: "user", content: "Answer with one word: ready" } }],
  functions: []
}

/** The command that the error alone leads to. */
export const mendedBy = (error: Parameters<typeof adviceOn>[0]): ReadonlyArray<string> => {
  const advice = adviceOn(error)
  return advice === undefined ? [] : [advice.command]
}

const aboutOf = (tag: string): ModelUnready["about"] =>
  tag === "ModelUnauthorized"
    ? "key"
    : tag === "ModelUnreachable"
      ? "server"
      : tag === "ModelRejected"
        ? "model"
        : "other"

/** Sends one small request, and gives the milliseconds until the model began its answer. */
export const askModel = (
  name: string,
  profile: RemoteProfile,
  environment: Environment
): Effect.Effect<number, ModelUnready, HttpClient.HttpClient | FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const model = yield* Effect.mapError(openProfile(name, profile, environment), (error) =>
      error._tag === "CredentialsMissing"
        ? new ModelUnready({
            reason: `${error.variable} is not set`,
            mend: [`export ${error.variable}=…`],
            about: "key"
          })
        : new ModelUnready({ reason: error.message, mend: mendedBy(error), about: "other" })
    )
    const answered = model.stream(question).pipe(
      Stream.filter(({ _tag }) => _tag !== "AttemptFailed"),
      Stream.runHead
    )
    const [took] = yield* Effect.timed(answered).pipe(
      Effect.timeout(patience),
      Effect.mapError((error) =>
        error._tag === "TimeoutException"
          ? new ModelUnready({
              reason: `no answer within ${duration(Duration.toMillis(patience))}`,
              mend: [],
              about: "server"
            })
          : new ModelUnready({
              reason: error.message,
              mend: modelAdvice(name, profile, error),
              about: aboutOf(error._tag)
            })
      )
    )
    return Duration.toMillis(took)
  })
