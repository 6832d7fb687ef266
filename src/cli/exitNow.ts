import * as fs from "node:fs"
import { exitCodes } from "./Outcome.ts"

const showCursor = "\u001b[?25h"

/** Ends the process where it stands; what was acknowledged is on the disk. */
export const exitNow = (): never => {
  if (process.stdout.isTTY) fs.writeSync(1, `${showCursor}\n`)
  process.exit(exitCodes.interrupted)
}
