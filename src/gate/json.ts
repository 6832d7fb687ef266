import * as Option from "effect/Option"

/** The JSON text of a value; none for what has none, such as a cycle, a function or a big integer. */
export const json = Option.liftThrowable((value: unknown): string => JSON.stringify(value) ?? "null")
