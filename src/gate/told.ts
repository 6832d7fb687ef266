/** What an error says under a name; reading a foreign one may throw. */
const said = (error: unknown, key: "_tag" | "message"): string | undefined => {
  try {
    const found: unknown = typeof error === "object" && error !== null ? Reflect.get(error, key) : undefined
    return typeof found === "string" ? found : undefined
  } catch {
    return undefined
  }
}

/** What is told of a failure, which may be anything: the compiler has not seen every handler. */
export const told = (error: unknown): { readonly _tag: string; readonly message: string } => ({
  _tag: said(error, "_tag") ?? "Error",
  message: said(error, "message") ?? (typeof error === "string" ? error : "it failed without a message")
})
