import * as path from "node:path"

/** Where the files of servers are, beside the database. */
export const stateDirectory = (database: string): string => path.join(path.dirname(database), "mcp")
