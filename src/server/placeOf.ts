import * as Effect from "effect/Effect"
import { Host } from "../host/Host.ts"
import type { Place } from "../runtime/Projects.ts"
import { NotFound } from "./ApiError.ts"

/** The place that a request names by a directory; where the server was started if it names none. */
export const placeOf = (directory: string | undefined): Effect.Effect<Place, NotFound, Host> =>
  Effect.flatMap(Host, (host) =>
    Effect.mapError(
      host.locate(directory ?? host.directory),
      ({ _tag, message }) => new NotFound({ message, error: _tag })
    )
  )
