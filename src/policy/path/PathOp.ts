export const operations = ["read", "write", "remove", "list", "glob", "grep"] as const

/**
 * What is about to be done with a path. `list`, `glob` and `grep` look at directories (for `glob` the path is the
 * pattern); `remove` is about the name itself, so it does not follow a final symlink.
 */
export type PathOp = (typeof operations)[number]

/** Whether an operation only looks or leaves something changed. */
export type Access = "see" | "change"

export const access = (op: PathOp): Access => (op === "write" || op === "remove" ? "change" : "see")
