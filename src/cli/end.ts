import * as fs from "node:fs"
import * as tty from "node:tty"
import { showCursor } from "./terminal/terminalCodes.ts"

const terminals = [0, 1, 2].filter((fd) => tty.isatty(fd))

/** Whether a terminal that there was has gone. */
export const isTerminalGone = (): boolean => !terminals.every((fd) => tty.isatty(fd))

/** Ends the process; where its terminal has gone, as a hangup does: Node aborts where it cannot restore a terminal. */
export const end = (code: number): void => {
  if (!isTerminalGone()) process.exit(code)
  process.removeAllListeners("SIGHUP")
  process.kill(process.pid, "SIGHUP")
}

/** Ends the process where it stands; what was acknowledged is on the disk. */
export const exitNow = (code: number): void => {
  try {
    if (process.stdout.isTTY) fs.writeSync(1, `${showCursor}\n`)
  } catch {
    // No one is attached any more.
  }
  end(code)
}
