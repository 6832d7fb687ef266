import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Schema from "effect/Schema"
import * as Errors from "./ApiError.ts"

const errors = [
  Errors.Conflict,
  Errors.Failed,
  Errors.Forbidden,
  Errors.Gone,
  Errors.MethodNotAllowed,
  Errors.NotFound,
  Errors.Rejected,
  Errors.TooLarge,
  Errors.TooManyRequests,
  Errors.Unauthorized,
  Errors.Unavailable,
  Errors.UnsupportedMedia,
  Errors.UpgradeRequired
] as const
export type ApiError = InstanceType<(typeof errors)[number]>

/** An error as clients get it. */
export const jsonOf = Schema.encodeSync(Schema.Union(...errors))

const statuses = new Map(errors.map((error) => [error._tag as string, HttpApiSchema.getStatusErrorAST(error.ast)]))

/** The status of an answer that is an error. */
export const statusOf = ({ _tag }: ApiError): number => statuses.get(_tag) ?? 500

/** The answer that an error is where no group gives it. */
export const answerOf = (error: ApiError): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeJson(jsonOf(error), { status: statusOf(error) })
