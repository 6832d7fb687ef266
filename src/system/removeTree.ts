import * as Effect from "effect/Effect"
import * as fs from "node:fs"

/** Removes a directory of our own, also while another process still writes into it; what stays is litter for a later process. */
export const removeTree = (directory: string): Effect.Effect<void> =>
  Effect.ignore(
    Effect.tryPromise(() => fs.promises.rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }))
  )
