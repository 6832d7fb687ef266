import * as path from "node:path"

/** The directory that a variable names, which counts only where it is absolute; else the usual one. */
export const placeIn = (named: string | undefined, usual: string): string =>
  named !== undefined && path.isAbsolute(named) ? named : usual
