import * as fs from "node:fs"
import * as path from "node:path"
import { systemPath } from "../process/Environment.ts"

/** Where the system has a program, so that no directory on a command's own `PATH` comes first; else just its name. */
export const systemProgram = (name: string): string =>
  systemPath
    .split(":")
    .map((directory) => path.join(directory, name))
    .find((place) => fs.existsSync(place)) ?? name
