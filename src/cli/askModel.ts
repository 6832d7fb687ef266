import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as RequestAccount from "../agent/RequestAccount.ts"
import type { CostError } from "../cost/CostError.ts"
import { booked } from "../host/budgets.ts"
import type { ModelRequest, ModelService } from "../model/Model.ts"
import type { ModelPart } from "../model/ModelPart.ts"
import { type Environment, openProfile } from "../model/OpenProfile.ts"
import { termsOf } from "../model/Profile.ts"
import { duration } from "../text/duration.ts"
import { modelAdvice, type RemoteProfile } from "./modelAdvice.ts"
import { adviceOn } from "../ui/advice.ts"

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
const question = {
  messages: [{ id: "ready", message: { role: "user", content: "Answer with one word: ready" } }],
  functions: [],
  // No session and no project pays alone.
  payer: { session: "", project: "", task: "", worker: ["doctor"], iteration: 0 }
} satisfies ModelRequest

/** Characters of an answer that a part is. */
const sizeOf = (part: ModelPart): number => ("text" in part ? part.text.length : 0)

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

const unpaid = (error: CostError) => {
  // A model that is not configured yet has no price of its own.
  const priced =
    error._tag === "PriceUnknown" ? [`tollgate config set budgets.unknownPrice '{"input":1,"output":5}'`] : []
  return new ModelUnready({ reason: error.message, mend: [...mendedBy(error), ...priced], about: "other" })
}

/** What asking costs is booked, and budgets hold; a model is asked all the same where the ledger cannot be opened. */
export const kept = Layer.catchAll(booked, () => Layer.empty)

/** Hears an answer out, for its usage, as far as that goes in time; gives how long it took to begin. */
const heard = (model: ModelService, account: RequestAccount.RequestAccount) =>
  Effect.gen(function* () {
    const sent = yield* Clock.currentTimeNanos
    let began: Duration.Duration | undefined
    let size = 0
    const hear = (part: ModelPart) =>
      Effect.gen(function* () {
        if (part._tag === "AttemptFailed") {
          yield* account.failed("failed", size)
          size = 0
          return yield* Effect.mapError(account.again(part.next), unpaid)
        }
        began ??= Duration.nanos((yield* Clock.currentTimeNanos) - sent)
        if (part._tag === "Finished") yield* account.answered(part.usage, size, [])
        else size += sizeOf(part)
      })
    yield* Stream.runForEach(model.stream(question), hear).pipe(
      Effect.onError((cause) => account.failed(Cause.isInterrupted(cause) ? "interrupted" : "failed", size)),
      Effect.timeout(patience),
      Effect.catchTag("TimeoutException", (error) => (began === undefined ? error : Effect.void))
    )
    return began ?? Duration.zero
  })

/** Sends one small request, kept by `Accounts`, and gives the milliseconds until the model began its answer. */
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
    const account = yield* Effect.mapError(
      RequestAccount.open(question, name, { name: profile.model, ...termsOf(name, profile) }),
      unpaid
    )
    const began = yield* Effect.mapError(heard(model, account), (error) =>
      error._tag === "ModelUnready"
        ? error
        : error._tag === "TimeoutException"
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
    return Duration.toMillis(began)
  })
