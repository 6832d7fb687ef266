import { tools } from "../tools/Builtin.ts"

/** Tools that a person may run. */
export const manual = tools.filter(({ location, mode }) => mode !== "llm" && location === "server")
