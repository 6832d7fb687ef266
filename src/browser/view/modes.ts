/** Modes that a person can choose here; a mode that the server does not have is refused by it. */
export const modes = ["ask", "edits", "plan", "sandboxed", "allow-read-only", "deny"] as const
