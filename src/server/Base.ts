import * as HttpApi from "@effect/platform/HttpApi"
import { Failed, Forbidden, TooLarge, TooManyRequests, Unavailable, UnsupportedMedia } from "./ApiError.ts"

/** What every group is added to: the answers that any request can get, whatever it asks for. */
export const base = HttpApi.make("tollgate")
  .addError(Forbidden)
  .addError(TooLarge)
  .addError(UnsupportedMedia)
  .addError(TooManyRequests)
  .addError(Failed)
  .addError(Unavailable)
