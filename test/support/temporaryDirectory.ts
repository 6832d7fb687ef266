import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/** A directory of the test's own, gone with its scope. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-test-")))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
)
