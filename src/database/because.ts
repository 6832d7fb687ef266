import { codeOf, describe } from "../policy/path/FileFailure.ts"

/** Why the system refused to make or write a file, in words. */
export const because = (error: unknown): string => {
  const code = codeOf(error)
  if (code === "ENOENT") return "its directory does not exist and cannot be made"
  if (/^E[A-Z0-9]+$/.test(code)) return describe(code)
  return typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error)
}
