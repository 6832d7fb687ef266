import manifest from "../package.json" with { type: "json" }

/** The version of Tollgate. */
export const version: string = manifest.version
