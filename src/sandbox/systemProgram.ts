import * as fs from "node:fs"
import * as path from "node:path"
import { systemPath } from "../process/Environment.ts"

/** The system's path of a program, which a command's own `PATH` cannot override; else its name. */
export const systemProgram = (name: string): string =>
  systemPath
    .split(":")
    .map((directory) => path.join(directory, name))
    .find((place) => fs.existsSync(place)) ?? name
