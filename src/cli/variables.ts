export const prefix = "TOLLGATE_"

/** Our variables that set no value of the configuration. */
export const others: ReadonlyArray<string> = ["HOME", "CACHE", "PROCESS", "TOKEN"].map((name) => prefix + name)
